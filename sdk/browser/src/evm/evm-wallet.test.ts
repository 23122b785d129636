import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { describe, expect, test } from 'vitest';
import type { ChooseToken } from '../choose-token.ts';
import { INTENT_ID, offered, SAMPLE, settled } from '../testing/fake-service.ts';
import { type Answers, type FakeWallet, fakeWallet, PAYER, refusal, word } from '../testing/fake-wallet.ts';
import { payWorld } from '../testing/pay-world.ts';
import type { Eip1193Provider } from './eip1193.ts';
import { evmWallet } from './evm-wallet.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'base_usdc' };
const settle = [settled('succeeded')];
const world = (provider: FakeWallet, accepts: readonly unknown[] = [SAMPLE]) =>
  payWorld({ answers: { intent: [offered(...accepts)], settle }, provider });
const throwing = (problem: unknown) => () => {
  throw problem;
};
const NEVER = () => new Promise<never>(() => {});

describe('a person’s no ends the attempt, moves nothing and is known as a no', () => {
  test.each<[string, Answers, string]>([
    ['signature', { eth_signTypedData_v4: throwing(refusal()) }, 'signature_refused'],
    ['signature, by ethers', { eth_signTypedData_v4: throwing(refusal('ACTION_REJECTED')) }, 'signature_refused'],
    [
      'signature, by words',
      { eth_signTypedData_v4: throwing(new Error('User rejected the request.')) },
      'signature_refused',
    ],
    [
      'signature, wrapped',
      { eth_signTypedData_v4: throwing({ code: -32603, data: { originalError: refusal() } }) },
      'signature_refused',
    ],
    ['switch', { wallet_switchEthereumChain: throwing(refusal()) }, 'network_switch_refused'],
    [
      'adding the chain',
      { wallet_switchEthereumChain: throwing(refusal(4902)), wallet_addEthereumChain: throwing(refusal()) },
      'network_switch_refused',
    ],
    ['connection', { eth_requestAccounts: throwing(refusal()) }, 'connection_refused'],
    ['closed wallet', { eth_signTypedData_v4: throwing(refusal(4900)) }, 'wallet_closed'],
  ])('%s', async (_, answers, code) => {
    const provider = fakeWallet(answers, 1);
    const { pay, failure, service, terminals } = world(provider);
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({ code, moneyMoved: 'no', paymentIntentId: INTENT_ID });
    expect(error.isUserCancelled()).toBe(true);
    expect(terminals()).toMatchObject([
      { type: 'svc-sdk-transaction-failed', detail: { error: { userCancelled: true } } },
    ]);
    expect(service.asked.filter(({ route }) => route !== 'intent' && route !== 'node')).toEqual([]);
  });

  test('a wallet that is closed while it is asked', async () => {
    const provider = fakeWallet({
      eth_signTypedData_v4: () => {
        queueMicrotask(() => provider.disconnect());
        return NEVER();
      },
    });
    const { pay, failure } = world(provider);
    const error = await failure(pay.createPayment(REQUEST));
    expect(error.code).toBe('wallet_closed');
    expect(error.isUserCancelled()).toBe(true);
  });
});

test.each<[string, Answers, string]>([
  ['never answers', { eth_signTypedData_v4: NEVER }, 'wallet_timeout'],
  ['breaks', { eth_signTypedData_v4: throwing(new Error('boom')) }, 'wallet_failed'],
  ['signs nonsense', { eth_signTypedData_v4: () => '0x12' }, 'wallet_failed'],
  ['shares no account', { eth_requestAccounts: () => [] }, 'no_account'],
])('a wallet that %s ends by name, and that is nobody’s no', async (_, answers, code) => {
  const { pay, failure, service } = world(fakeWallet(answers));
  const error = await failure(pay.createPayment(REQUEST));
  expect(error).toMatchObject({ code, moneyMoved: 'no' });
  expect(error.isUserCancelled()).toBe(false);
  expect(service.of('settle')).toEqual([]);
});

describe('the network', () => {
  test('is switched before signing', async () => {
    const provider = fakeWallet({}, 1);
    const { pay, time } = world(provider);
    await time.run(pay.createPayment(REQUEST));
    const methods = provider.methods();
    expect(methods.indexOf('wallet_switchEthereumChain')).toBeLessThan(methods.indexOf('eth_signTypedData_v4'));
    expect(methods.at(-2)).toBe('eth_chainId');
  });

  test('is added with its public address and name when the wallet does not know it', async () => {
    let chain = '0x1';
    let added: unknown;
    const provider = fakeWallet({
      eth_chainId: () => chain,
      wallet_switchEthereumChain: throwing(refusal(4902)),
      wallet_addEthereumChain: ([what]) => {
        added = what;
        chain = '0x2105';
      },
    });
    const { pay, time } = world(provider);
    await time.run(pay.createPayment(REQUEST));
    expect(added).toMatchObject({ chainId: '0x2105', chainName: 'Base', rpcUrls: ['https://node.example'] });
  });

  test.each<[string, Answers]>([
    ['does not switch', { wallet_switchEthereumChain: throwing(refusal(-32_000)) }],
    ['only says that it switched', { wallet_switchEthereumChain: () => null }],
    ['does not say where it is', { eth_chainId: throwing(refusal(4200)) }],
    ['wanders off again', wanderingOff()],
  ])('a wallet that %s signs nothing', async (_, answers) => {
    const provider = fakeWallet(answers, 1);
    const { pay, failure } = world(provider);
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'wrong_network', moneyMoved: 'no' });
    expect(provider.signed()).toEqual([]);
  });

  test('trouble with switching is passed over when the wallet is on the right chain after all', async () => {
    let asked = 0;
    const provider = fakeWallet({
      eth_chainId: () => (asked++ < 2 ? '0x1' : '0x2105'),
      wallet_switchEthereumChain: throwing(refusal(-32_002)),
    });
    const { pay, time } = world(provider);
    expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed' });
  });
});

function wanderingOff(): Answers {
  const chains = ['0x2105', '0x2105', '0x1'];
  return { eth_chainId: () => chains.shift() ?? '0x1' };
}

describe('several acceptances', () => {
  const onPolygon = {
    ...SAMPLE,
    network: 'eip155:137',
    asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    extra: { ...SAMPLE.extra, rpcChainId: '137' },
  };
  const pay = async (walletHolds: bigint, nodeAnswers: unknown) => {
    const provider = fakeWallet({ eth_call: () => word(walletHolds) });
    const { pay, time } = payWorld({
      provider,
      answers: {
        intent: [offered(onPolygon, SAMPLE)],
        settle,
        node: [{ status: 200, body: { jsonrpc: '2.0', id: 1, result: nodeAnswers } }],
      },
    });
    return (await time.run(pay.createPayment({ usdAmount: '12.50' }))).network;
  };

  test('the wallet’s own chain is taken when the payer can afford it there', async () => {
    expect(await pay(100_000_000n, word(100_000_000n))).toBe('eip155:8453');
  });
  test('another one when only that can be paid', async () => {
    expect(await pay(1n, word(100_000_000n))).toBe('eip155:137');
  });
  test('one whose balance can’t be read from afar is asked about there, before anything is signed', async () => {
    let chain = '0x2105';
    for (const [held, outcome] of [
      [word(100_000_000n), { network: 'eip155:137' }],
      [word(2n), { code: 'insufficient_funds' }],
    ] as const) {
      const provider = fakeWallet({
        eth_chainId: () => chain,
        wallet_switchEthereumChain: () => {
          chain = '0x89';
        },
        eth_call: () => (chain === '0x89' ? held : word(1n)),
      });
      const { pay, time } = payWorld({ provider, answers: { intent: [offered(onPolygon, SAMPLE)], settle } });
      chain = '0x2105';
      const call = pay.createPayment({ usdAmount: '12.50' }).catch((problem: unknown) => problem);
      expect(await time.run(call)).toMatchObject(outcome);
      expect(provider.signed()).toHaveLength('code' in outcome ? 0 : 1);
    }
  });
});

describe('several tokens that the payer can afford', () => {
  const inEuros = { ...SAMPLE, asset: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', maxAmountRequired: '11000000' };
  const world = (chooseToken: ChooseToken, holds = 100_000_000n) => {
    const provider = fakeWallet({ eth_call: () => word(holds) });
    const wallet = evmWallet({ provider, chooseToken });
    return { ...payWorld({ wallet, answers: { intent: [offered(SAMPLE, inEuros)], settle } }), provider };
  };

  test('the payer is asked, with what they hold, and the chosen one is signed', async () => {
    const { pay, time, provider } = world((tokens) =>
      tokens.find(({ acceptance }) => acceptance.asset === inEuros.asset),
    );
    expect(await time.run(pay.createPayment({ usdAmount: '12.50' }))).toMatchObject({ asset: inEuros.asset });
    expect(provider.signed()).toMatchObject([{ message: { value: '11000000' } }]);
  });
  test('who has enough of one only is not asked', async () => {
    const { pay, time } = world(() => expect.unreachable(), 11_500_000n);
    expect(await time.run(pay.createPayment({ usdAmount: '12.50' }))).toMatchObject({ asset: inEuros.asset });
  });
  test('none of them is a no, and so is one that was not offered', async () => {
    for (const answer of [undefined, { acceptance: SAMPLE, heldAmount: '1' }]) {
      const { pay, failure, provider } = world(() => answer);
      const error = await failure(pay.createPayment({ usdAmount: '12.50' }));
      expect(error).toMatchObject({ code: 'wallet_closed', moneyMoved: 'no' });
      expect(error.isUserCancelled()).toBe(true);
      expect(provider.signed()).toEqual([]);
    }
  });
});

describe('Permit', () => {
  const extra = { ...SAMPLE.extra, primaryType: 'Permit', permitNonce: '3' };
  const answerNonce = (nonce: () => unknown): Answers => ({
    eth_call: ([call]) => ((call as { data: string }).data.startsWith('0x7ecebe00') ? nonce() : word(100_000_000n)),
  });

  test('is signed with the nonce of the token, whatever the service says', async () => {
    const provider = fakeWallet(answerNonce(() => word(7n)));
    const { pay, time } = world(provider, [{ ...SAMPLE, extra }]);
    await time.run(pay.createPayment(REQUEST));
    expect(provider.signed()[0]).toMatchObject({
      primaryType: 'Permit',
      message: { owner: PAYER, spender: SAMPLE.payTo, nonce: '7', value: '12500000' },
    });
  });

  test('with the service’s when the token can’t be asked, and not at all without either', async () => {
    const provider = fakeWallet(answerNonce(throwing(new Error('no node'))));
    const first = world(provider, [{ ...SAMPLE, extra: { ...extra, rpcUrlPublic: null } }]);
    await first.time.run(first.pay.createPayment(REQUEST));
    expect(provider.signed()[0]?.message['nonce']).toBe('3');
    const second = world(provider, [{ ...SAMPLE, extra: { ...extra, rpcUrlPublic: null, permitNonce: null } }]);
    expect(await second.failure(second.pay.createPayment(REQUEST))).toMatchObject({ code: 'permit_nonce_unavailable' });
  });
});

describe('a bound nonce', () => {
  const terms = {
    chainId: 8453,
    processor: SAMPLE.payTo,
    token: SAMPLE.asset ?? '',
    payoutId: '5',
    merchant: PAYER,
    feeBps: 100,
    splits: [{ to: SAMPLE.payTo, bps: 33 }],
    intentCode: '12345678901',
    attempt: 0,
  };
  const svc = { authorizationType: 'ReceiveWithAuthorization', boundNonce: boundNonce(terms), terms };
  const offering = (change: object) => [{ ...SAMPLE, extra: { ...SAMPLE.extra, svc: { ...svc, ...change } } }];

  test('is used when its terms hash to it', async () => {
    const provider = fakeWallet();
    const { pay, time } = world(provider, offering({}));
    await time.run(pay.createPayment(REQUEST));
    expect(provider.signed()[0]).toMatchObject({
      primaryType: 'ReceiveWithAuthorization',
      message: { nonce: svc.boundNonce },
    });
  });

  test.each([
    ['other terms', { terms: { ...terms, feeBps: 101 } }],
    ['terms of the other kind', { authorizationType: 'TransferWithAuthorization' }],
    ['another nonce', { boundNonce: word(1n) }],
    ['another processor, hashed well', rehashed({ processor: PAYER })],
    ['another chain, hashed well', rehashed({ chainId: 1 })],
    ['terms that are none', { terms: {} }],
  ])('%s: nothing is signed', async (_, change) => {
    const provider = fakeWallet();
    const { pay, failure } = world(provider, offering(change));
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'acceptance_refused', reason: 'terms' });
    expect(provider.signed()).toEqual([]);
  });

  function rehashed(change: Partial<typeof terms>) {
    const other = { ...terms, ...change };
    return { terms: other, boundNonce: boundNonce(other) };
  }
});

describe('a bound nonce that pays the merchant’s own wallet', () => {
  const terms = {
    installation: '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b11',
    mode: 'live' as const,
    chainId: 8453,
    token: SAMPLE.asset ?? '',
    wallet: SAMPLE.payTo,
    amount: SAMPLE.maxAmountRequired,
    intentCode: '12345678901',
    attempt: 0,
  };
  const svc = { authorizationType: 'TransferWithAuthorization', boundNonce: directNonce(terms), terms };
  const offering = (change: object) => [{ ...SAMPLE, extra: { ...SAMPLE.extra, svc: { ...svc, ...change } } }];

  test('is signed as a transfer that anybody may submit', async () => {
    const provider = fakeWallet();
    const { pay, time } = world(provider, offering({}));
    await time.run(pay.createPayment(REQUEST));
    expect(provider.signed()[0]).toMatchObject({
      primaryType: 'TransferWithAuthorization',
      message: { to: SAMPLE.payTo, nonce: svc.boundNonce },
    });
  });

  test.each([
    ['terms that do not hash to it', { terms: { ...terms, intentCode: '1' } }],
    ['another nonce', { boundNonce: word(1n) }],
    ['the other kind', { authorizationType: 'ReceiveWithAuthorization' }],
    ['another wallet, hashed well', rehashed({ wallet: PAYER })],
    ['another token, hashed well', rehashed({ token: PAYER })],
    ['another amount, hashed well', rehashed({ amount: '12500001' })],
    ['another chain, hashed well', rehashed({ chainId: 1 })],
    ['terms that are none', { terms: {} }],
  ])('%s: nothing is signed', async (_, change) => {
    const provider = fakeWallet();
    const { pay, failure } = world(provider, offering(change));
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'acceptance_refused', reason: 'terms' });
    expect(provider.signed()).toEqual([]);
  });

  function rehashed(change: Partial<typeof terms>) {
    const other = { ...terms, ...change };
    return { terms: other, boundNonce: directNonce(other) };
  }
});

describe('finding a wallet', () => {
  const place = globalThis as { window?: EventTarget; ethereum?: Eip1193Provider | undefined };
  const inPage = async (
    wallets: readonly FakeWallet[],
    options: Parameters<typeof evmWallet>[0] = {},
    ethereum?: FakeWallet,
  ) => {
    place.window = new EventTarget();
    place.ethereum = ethereum;
    place.window.addEventListener('eip6963:requestProvider', () => {
      for (const [index, provider] of wallets.entries()) {
        const info = { uuid: `wallet-${index}`, name: `Wallet ${index}`, icon: 'data:,', rdns: 'example.wallet' };
        for (let twice = 0; twice < 2; twice += 1) {
          place.window?.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }));
        }
      }
      place.window?.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: null }));
    });
    try {
      const { pay, time } = payWorld({ answers: { intent: [offered(SAMPLE)], settle }, wallet: evmWallet(options) });
      return await time.run(
        pay.createPayment(REQUEST).then(
          ({ status }) => status,
          (problem: unknown) => (problem as { code: string }).code,
        ),
      );
    } finally {
      delete place.window;
      delete place.ethereum;
    }
  };

  test('those that announce themselves, each once, and the page chooses', async () => {
    const wallets = [fakeWallet(), fakeWallet()];
    let names: readonly string[] = [];
    const chosen = await inPage(wallets, {
      choose: (found) => {
        names = found.map(({ name }) => name);
        return found[1];
      },
    });
    expect([chosen, names]).toEqual(['completed', ['Wallet 0', 'Wallet 1']]);
    expect(wallets.map((wallet) => wallet.signed().length)).toEqual([0, 1]);
  });

  test('none chosen is a no', async () => {
    expect(await inPage([fakeWallet(), fakeWallet()], { choose: () => undefined })).toBe('wallet_closed');
  });

  test('the injected one when nobody announces', async () => {
    const injected = fakeWallet();
    expect(await inPage([], {}, injected)).toBe('completed');
    expect(injected.signed()).toHaveLength(1);
  });

  test('nobody at all', async () => {
    expect(await inPage([])).toBe('no_wallet');
  });
});

test('a wanted account pays, or nobody', async () => {
  const other = '0x3333333333333333333333333333333333333333';
  const provider = fakeWallet({ eth_requestAccounts: () => [PAYER, other] });
  for (const [account, outcome] of [
    [other, { payer: other }],
    ['0x4444444444444444444444444444444444444444', { code: 'no_account' }],
  ] as const) {
    const { pay, time } = payWorld({
      answers: { intent: [offered(SAMPLE)], settle },
      wallet: evmWallet({ provider, account }),
    });
    expect(await time.run(pay.createPayment(REQUEST).catch((problem: unknown) => problem))).toMatchObject(outcome);
  }
});

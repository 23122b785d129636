import type { SignatureRule, StoredAcceptance, TokenEntry, VerifiedTerms } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { atomicAmount, parseRate, token as unitOf } from '@svc-pay/money';
import {
  type Acceptance,
  buildSignRequest,
  type EvmPaymentHeader,
  evmNetwork,
  type PrimaryType,
} from '@svc-pay/protocol';
import { concat, createTestClient, encodeAbiParameters, type Hex, http, keccak256, padHex, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { groupReads } from '../rpc/group-reads.ts';
import { createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
import { planWorld } from '../testing/plan-world.ts';
import { startAnvil } from '../testing/start-anvil.ts';
import { verifyOnChain } from './verify-on-chain.ts';

const AMOUNT = 1_500_000n;
const PROCESSOR: Hex = `0x${'9c'.repeat(20)}`;
/** Runtime code of wallets, one behaviour each. */
const WALLETS = {
  yes: '0x631626ba7e60e01b60005260206000f3',
  no: '0x63ffffffff60e01b60005260206000f3',
  reverts: '0x60006000fd',
  burnsGas: '0x5b600056',
  answersNothing: '0x00',
} as const satisfies Record<string, Hex>;

const anvil = await startAnvil();
afterAll(() => anvil.stop());
const world = await planWorld(anvil);
const chain = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
const rpc = createJsonRpc({ urls: [anvil.rpcUrl], timeoutMs: 5_000 });
const payer = privateKeyToAccount(generatePrivateKey());
const tokenOf = (signing: TokenEntry['signing']): TokenEntry => ({
  shortcode: 'anvil_usdc',
  network: evmNetwork(31_337),
  symbol: 'USDC',
  address: world.token,
  unit: unitOf('anvil_usdc', 6),
  signing,
  domain: { name: 'USD Coin', version: '2' },
  price: 'fixed',
});

const mint = async (to: Hex, value: bigint) => {
  const hash = await world.deployer.writeContract({
    address: world.token,
    abi: mockUsdcAbi,
    functionName: 'mint',
    args: [to, value],
  });
  await world.deployer.waitForTransactionReceipt({ hash });
};
beforeAll(() => mint(payer.address, AMOUNT * 100n));

type Asked = {
  readonly from?: Hex;
  readonly nonce?: Hex;
  readonly signing?: TokenEntry['signing'];
  readonly rule?: SignatureRule;
  readonly primaryType?: PrimaryType;
  readonly signer?: typeof payer;
  readonly amount?: bigint;
  /** The recipient is the merchant's own wallet. */
  readonly direct?: boolean;
  readonly bound?: boolean;
};

async function termsOf(asked: Asked = {}): Promise<VerifiedTerms> {
  const {
    from = payer.address,
    nonce = toHex(crypto.getRandomValues(new Uint8Array(32))),
    signing = 'TransferWithAuthorization',
  } = asked;
  const token: TokenEntry = { ...tokenOf(signing), ...(asked.rule && { signatureRule: asked.rule }) };
  const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: 0 });
  if (!rate.ok) throw new Error('no rate');
  const amount = atomicAmount(asked.amount ?? AMOUNT);
  const stored: StoredAcceptance = {
    position: 0,
    scheme: 'exact',
    network: token.network,
    token,
    payTo: PROCESSOR,
    amount,
    payoutId: 1n,
    maxTimeoutSeconds: 300,
    confirmations: 1,
    minimumUsdMicros: null,
    priceEndsAtMs: null,
    rate: rate.rate,
    ...(asked.direct && { direct: sampleActivation({ wallet: PROCESSOR, asset: token.address }) }),
  };
  const acceptance: Acceptance = {
    scheme: 'exact',
    network: token.network,
    maxAmountRequired: amount.toString(),
    payTo: PROCESSOR,
    asset: token.address,
    extra: {
      name: 'USD Coin',
      eip3009Version: '2',
      primaryType: signing === 'Permit' ? 'Permit' : 'TransferWithAuthorization',
    },
  };
  const request = buildSignRequest({ acceptance, payer: from, nonce, nowSeconds: Math.floor(Date.now() / 1_000) });
  if (!request.ok) throw new Error(request.code);
  const typed = request.typedData;
  const primaryType = asked.primaryType ?? typed.primaryType;
  const types = { [primaryType]: typed.types[typed.primaryType] };
  const signature = await (asked.signer ?? payer).signTypedData({
    ...typed,
    types,
    primaryType,
  });
  const header: EvmPaymentHeader = {
    x402Version: 1,
    scheme: 'exact',
    network: token.network,
    payload: { authorization: request.authorization, signature },
  };
  return { header, acceptance: stored, ...(asked.bound && { bound: true }) };
}
const withSignature = ({ header, ...terms }: VerifiedTerms, signature: string): VerifiedTerms => ({
  ...terms,
  header: { ...header, payload: { ...header.payload, signature } },
});
const verdict = async (terms: VerifiedTerms, ask: JsonRpc = rpc) => {
  const result = await verifyOnChain(ask, terms);
  // The same, whether its questions are asked in a group or each by itself.
  if (ask === rpc) expect(await verifyOnChain(groupReads(rpc), terms)).toEqual(result);
  return result.ok ? result.signed.kind : result.code;
};

/** Submits the authorization to the token, as anybody may who has seen it. */
async function useAuthorization({ header }: VerifiedTerms) {
  const { from, to, value, validAfter, validBefore, nonce } = header.payload.authorization;
  const hash = await world.stranger.writeContract({
    address: world.token,
    abi: mockUsdcAbi,
    functionName: 'transferWithAuthorization',
    args: [
      from as Hex,
      to as Hex,
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      nonce as Hex,
      header.payload.signature as Hex,
    ],
  });
  await world.stranger.waitForTransactionReceipt({ hash });
}

describe('a payer with a key', () => {
  test('signed for exactly these terms', async () => {
    expect(await verdict(await termsOf())).toBe('transfer_with_authorization');
  });
  test('may have signed the form that only the processor can submit', async () => {
    expect(await verdict(await termsOf({ primaryType: 'ReceiveWithAuthorization' }))).toBe(
      'receive_with_authorization',
    );
  });
  test.each([
    ['another key', { signer: privateKeyToAccount(generatePrivateKey()) }],
    ['another message', { primaryType: 'Permit' as const }],
  ])('%s: invalid_signature', async (_, asked) => {
    expect(await verdict(await termsOf(asked))).toBe('invalid_signature');
  });
  test('a changed amount, recipient, window or nonce: invalid_signature', async () => {
    const terms = await termsOf();
    for (const change of [
      { value: '1' },
      { to: world.token },
      { validBefore: '9999999999' },
      { nonce: padHex('0x1') },
    ]) {
      const authorization = { ...terms.header.payload.authorization, ...change };
      const header = { ...terms.header, payload: { ...terms.header.payload, authorization } };
      expect(await verdict({ ...terms, header })).toBe('invalid_signature');
    }
  });
  test('a signature of 66 bytes can’t be a key’s: invalid_payment_header', async () => {
    const terms = await termsOf();
    expect(await verdict(withSignature(terms, `${terms.header.payload.signature}00`))).toBe('invalid_payment_header');
  });
  test('an authorization that was used already', async () => {
    const terms = await termsOf();
    await useAuthorization(terms);
    expect(await verdict(terms)).toBe('authorization_already_used');
  });
  test('one unit short: insufficient_funds; to the unit: enough', async () => {
    const poor = privateKeyToAccount(generatePrivateKey());
    await mint(poor.address, AMOUNT - 1n);
    const terms = await termsOf({ from: poor.address, signer: poor });
    expect(await verdict(terms)).toBe('insufficient_funds');
    await mint(poor.address, 1n);
    expect(await verdict(terms)).toBe('transfer_with_authorization');
  });
});

const walletWith = async (bytecode: Hex, account = privateKeyToAccount(generatePrivateKey())) => {
  await chain.setCode({ address: account.address, bytecode });
  await mint(account.address, AMOUNT);
  return account.address;
};

describe('a contract wallet has the only word', () => {
  test('it says yes, to a signature of any length', async () => {
    const terms = await termsOf({ from: await walletWith(WALLETS.yes) });
    expect(await verifyOnChain(rpc, withSignature(terms, `0x${'ab'.repeat(300)}`))).toMatchObject({
      ok: true,
      byContract: true,
      codeHash: keccak256(WALLETS.yes),
    });
  });
  test('of accounts that delegate to one target the code is the same: their budget is one', async () => {
    const target = await walletWith(WALLETS.yes);
    const delegation: Hex = `0xef0100${target.slice(2)}`;
    const codes = [];
    for (let account = 0; account < 2; account += 1) {
      const terms = await termsOf({ from: await walletWith(delegation) });
      const verified = await verifyOnChain(rpc, withSignature(terms, `0x${'ab'.repeat(65)}`));
      codes.push(verified.ok && verified.codeHash);
    }
    expect(codes).toEqual([keccak256(delegation), keccak256(delegation)]);
  });
  test.each(['no', 'reverts', 'burnsGas', 'answersNothing'] as const)('it %s: invalid_signature', async (behaviour) => {
    expect(await verdict(await termsOf({ from: await walletWith(WALLETS[behaviour]) }))).toBe('invalid_signature');
  });
  test('the signature of the key at its address does not help', async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    await chain.setCode({ address: owner.address, bytecode: WALLETS.no });
    await mint(owner.address, AMOUNT);
    expect(await verdict(await termsOf({ from: owner.address, signer: owner }))).toBe('invalid_signature');
  });
});

describe('an account that delegates (EIP-7702) is verified by the rule of the token, as the token itself settles', () => {
  /** A key's account that runs the code of a wallet with the given behaviour, and a payment that the key signed. */
  const signedByDelegator = async (behaviour: keyof typeof WALLETS, asked: Asked = {}) => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const target = await walletWith(WALLETS[behaviour]);
    const from = await walletWith(`0xef0100${target.slice(2)}`, signer);
    return termsOf({ from, signer, direct: true, ...asked });
  };
  const acceptedByToken = (terms: VerifiedTerms) =>
    useAuthorization(terms).then(
      () => true,
      () => false,
    );

  test.each([
    ['no', 'invalid_signature', false],
    ['yes', 'transfer_with_authorization', true],
  ] as const)(
    'a token that asks the code: its %s decides about the key’s signature',
    async (behaviour, code, settles) => {
      const terms = await signedByDelegator(behaviour);
      expect([await verdict(terms), await acceptedByToken(terms)]).toEqual([code, settles]);
    },
  );
  test.each(['no', 'burnsGas', 'yes'] as const)(
    'a token that recovers the key: a %s is not asked for',
    async (behaviour) => {
      const trips: string[] = [];
      const terms = await signedByDelegator(behaviour, { rule: 'key' });
      const verified = await verifyOnChain((calls) => {
        trips.push(...calls.map(({ params: [first] }) => (first as { to?: string } | undefined)?.to ?? ''));
        return rpc(calls);
      }, terms);
      expect(verified).toMatchObject({ ok: true, byContract: false });
      expect(verified).not.toHaveProperty('codeHash');
      expect(trips).not.toContain(terms.header.payload.authorization.from);
    },
  );
  test('a token that recovers the key: the code’s yes to another signature counts for nothing', async () => {
    for (const signing of ['TransferWithAuthorization', 'Permit'] as const) {
      const terms = await signedByDelegator('yes', { rule: 'key', signing, direct: false, nonce: padHex('0x0') });
      for (const signature of [`0x${'5a'.repeat(32)}${'11'.repeat(32)}1b`, `0x${'ab'.repeat(300)}`])
        expect(await verdict(withSignature(terms, signature))).toBe('invalid_signature');
    }
  });
  test('a permit is the key’s, as the processor checks it, whatever the code would answer', async () => {
    for (const behaviour of ['yes', 'no'] as const) {
      const terms = await signedByDelegator(behaviour, { signing: 'Permit', direct: false, nonce: padHex('0x0') });
      expect(await verifyOnChain(rpc, terms)).toMatchObject({
        ok: true,
        signed: { kind: 'permit' },
        byContract: false,
      });
    }
  });
});

describe('the signature of a wallet that is not deployed (ERC-6492)', () => {
  const FACTORY: Hex = `0x${'fa'.repeat(20)}`;
  /** What a factory's call would deploy, the inner signature, and ERC-6492's ending. */
  const wrapped = (inner: Hex): Hex =>
    concat([
      encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], [FACTORY, '0xdeadbeef', inner]),
      `0x${'6492'.repeat(16)}`,
    ]);

  test('is refused by that name for every kind of token, and its factory is never called', async () => {
    await chain.setCode({ address: FACTORY, bytecode: WALLETS.yes });
    const from = privateKeyToAccount(generatePrivateKey()).address;
    await mint(from, AMOUNT);
    for (const asked of [{}, { direct: true }, { rule: 'key' }, { signing: 'Permit', nonce: padHex('0x0') }] as const) {
      const terms = await termsOf({ from, ...asked });
      const inner = terms.header.payload.signature as Hex;
      const named: unknown[] = [];
      const answer = await verdict(withSignature(terms, wrapped(inner)), (calls) => {
        named.push(...calls.map(({ method }) => method));
        expect(JSON.stringify(calls).toLowerCase()).not.toContain(FACTORY.slice(2));
        return rpc(calls);
      });
      expect(answer).toBe('wallet_not_deployed');
      expect(named.filter((method) => method === 'eth_call')).toEqual([]);
    }
  });
  test('is no key’s signature, even if it wraps the one of the payer’s key', async () => {
    const terms = await termsOf();
    expect(await verdict(withSignature(terms, wrapped(terms.header.payload.signature as Hex)))).toBe(
      'wallet_not_deployed',
    );
  });
  test('is the deployed wallet’s to judge, as any other signature', async () => {
    for (const [behaviour, code] of [
      ['yes', 'transfer_with_authorization'],
      ['no', 'invalid_signature'],
    ] as const) {
      const terms = await termsOf({ from: await walletWith(WALLETS[behaviour]) });
      expect(await verdict(withSignature(terms, wrapped('0x1234')))).toBe(code);
    }
  });
});

describe('a direct payment', () => {
  const verify = async (asked: Asked = {}) => verifyOnChain(rpc, await termsOf({ direct: true, ...asked }));

  test('tells a block at which the authorization was unused, deeper than a reorg may bring a later use', async () => {
    const high: typeof rpc = async (calls) =>
      (await rpc(calls)).map((answer, index) =>
        calls[index]!.method === 'eth_blockNumber' ? { ok: true, result: '0x500' } : answer,
      );
    const verdict = await verifyOnChain(high, await termsOf({ direct: true }));
    expect(verdict).toMatchObject({ ok: true, byContract: false, direct: { bound: false, used: false } });
    expect(verdict.ok && verdict.direct?.atBlock).toBe(0x500n - 1_024n);
    expect(await verify({ bound: true })).toMatchObject({ ok: true, direct: { bound: true, used: false } });
  });
  test('signed so that only the wallet could submit it: invalid_signature', async () => {
    expect(await verify({ primaryType: 'ReceiveWithAuthorization' })).toEqual({ ok: false, code: 'invalid_signature' });
  });
  test('used at first sight bought something elsewhere, unless its nonce is bound to this intent', async () => {
    const terms = await termsOf({ direct: true });
    await useAuthorization(terms);
    expect(await verifyOnChain(rpc, terms)).toEqual({ ok: false, code: 'authorization_already_used' });
    const bound = await verifyOnChain(rpc, { ...terms, bound: true });
    expect(bound).toMatchObject({ ok: true, direct: { bound: true, used: true } });
  });
  test('of a bound nonce that is used needs no money any more, and a valid signature all the same', async () => {
    const spent = privateKeyToAccount(generatePrivateKey());
    await mint(spent.address, AMOUNT);
    const terms = await termsOf({ direct: true, bound: true, from: spent.address, signer: spent });
    await useAuthorization(terms);
    expect(await verifyOnChain(rpc, terms)).toMatchObject({ ok: true, direct: { used: true } });
    const forged = withSignature(terms, `0x${'5a'.repeat(32)}${'11'.repeat(32)}1b`);
    expect(await verifyOnChain(rpc, forged)).toEqual({ ok: false, code: 'invalid_signature' });
  });
  test('from an empty wallet is validly signed: the refusal tells what to watch', async () => {
    const poor = privateKeyToAccount(generatePrivateKey());
    expect(await verify({ from: poor.address, signer: poor })).toMatchObject({
      ok: false,
      code: 'insufficient_funds',
      proof: { signed: { kind: 'transfer_with_authorization' }, direct: { used: false } },
    });
    const processorPayment = await verifyOnChain(rpc, await termsOf({ from: poor.address, signer: poor }));
    expect(processorPayment).toEqual({ ok: false, code: 'insufficient_funds' });
  });
  test('of a contract wallet is asked for the one form that can be submitted', async () => {
    const { address } = privateKeyToAccount(generatePrivateKey());
    await chain.setCode({ address, bytecode: WALLETS.yes });
    await mint(address, AMOUNT);
    const asked: number[] = [];
    const verdict = await verifyOnChain(
      (calls) => {
        asked.push(calls.length);
        return rpc(calls);
      },
      withSignature(await termsOf({ direct: true, from: address }), `0x${'ab'.repeat(300)}`),
    );
    expect(verdict).toMatchObject({ ok: true, byContract: true, direct: { used: false } });
    expect(asked).toEqual([2, 1, 2]);
  });
  test('with a node that does not tell its block is not verified', async () => {
    const silent: JsonRpc = async (calls) => {
      const answers = await rpc(calls);
      return answers.map((answer, index) =>
        calls[index]?.method === 'eth_blockNumber' ? { ok: true, result: '0x' } : answer,
      );
    };
    expect(await verdict(await termsOf({ direct: true }), silent)).toBe('chain_unavailable');
  });
});

describe('what a signature costs the RPC endpoints', () => {
  /** Names of the calls, one list per round trip. */
  const callsOf = async (terms: VerifiedTerms) => {
    const trips: string[][] = [];
    const code = await verdict(terms, (calls) => {
      trips.push(calls.map(({ method, params }) => [method, ...nameOf(params)].join(' ')));
      return rpc(calls);
    });
    return { code, trips };
  };
  const nameOf = ([first]: readonly unknown[]) =>
    first === undefined
      ? []
      : typeof first === 'string'
        ? ['payer']
        : [(first as { to: string }).to.toLowerCase() === world.token ? 'token' : 'wallet'];
  const codeOnly = [['eth_getCode payer']];
  const junk = `0x${'5a'.repeat(32)}${'11'.repeat(32)}1b`;

  test.each([
    ['65 bytes of junk', junk, 'invalid_signature'],
    ['64 bytes of junk', junk.slice(0, -2), 'invalid_signature'],
    ['an s that no token takes', `0x${'5a'.repeat(32)}${'ff'.repeat(32)}1b`, 'invalid_signature'],
    ['a v that no token takes', `${junk.slice(0, -2)}1d`, 'invalid_signature'],
    ['no bytes', '0x', 'invalid_payment_header'],
    ['300 bytes', `0x${'ab'.repeat(300)}`, 'invalid_payment_header'],
  ])('%s: one call, and nothing is asked about the money', async (_, signature, code) => {
    for (const signing of ['TransferWithAuthorization', 'Permit'] as const) {
      const terms = withSignature(await termsOf({ signing, nonce: padHex('0x0') }), signature);
      expect(await callsOf(terms)).toEqual({ code, trips: codeOnly });
    }
  });
  test('the signature of somebody else: one call', async () => {
    const terms = await termsOf({ signer: privateKeyToAccount(generatePrivateKey()) });
    expect(await callsOf(terms)).toEqual({ code: 'invalid_signature', trips: codeOnly });
  });
  test('a good signature of a key: one round trip', async () => {
    const { trips } = await callsOf(await termsOf());
    expect(trips).toEqual([['eth_getCode payer', 'eth_call token', 'eth_call token']]);
    const direct = await callsOf(await termsOf({ direct: true }));
    expect(direct.trips).toEqual([['eth_blockNumber', 'eth_getCode payer', 'eth_call token', 'eth_call token']]);
  });
  test('a wallet that says no is asked, and nothing is asked about the money', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey()).address;
    await chain.setCode({ address: wallet, bytecode: WALLETS.no });
    const { code, trips } = await callsOf(await termsOf({ from: wallet }));
    expect({ code, trips }).toEqual({
      code: 'invalid_signature',
      trips: [...codeOnly, ['eth_call wallet', 'eth_call wallet']],
    });
  });
});

describe('a permit', () => {
  test('signed with the token’s own nonce', async () => {
    expect(await verdict(await termsOf({ signing: 'Permit', nonce: padHex('0x0') }))).toBe('permit');
  });
  test('signed with another nonce: permit_nonce_mismatch', async () => {
    expect(await verdict(await termsOf({ signing: 'Permit', nonce: padHex('0x7') }))).toBe('permit_nonce_mismatch');
  });
});

describe('a chain that can’t be asked is never an invalid signature', () => {
  test.each<[string, JsonRpc]>([
    ['nobody listens', createJsonRpc({ urls: ['http://127.0.0.1:9'], timeoutMs: 500 })],
    [
      'the node refuses',
      async (calls) => calls.map(() => ({ ok: false, code: -32_005, message: 'limit exceeded', data: null })),
    ],
    ['the node answers nonsense', async (calls) => calls.map(() => ({ ok: true, result: 'soon' }))],
    ['the token has no code, so nothing comes back', async (calls) => calls.map(() => ({ ok: true, result: '0x' }))],
  ])('%s', async (_, ask) => {
    expect(await verdict(await termsOf(), ask)).toBe('chain_unavailable');
  });
});

import { atomicAmount, parseRate, usdMicros } from '@svc-pay/money';
import { type AcceptanceEcho, type EvmPaymentHeader, encodePaymentHeader } from '@svc-pay/protocol';
import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { decodePaymentHeader } from '@svc-pay/protocol/x402';
import { describe, expect, test } from 'vitest';
import type { Intent } from '../intent/intent.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { sampleActivation } from '../testing/sample-activation.ts';
import { sampleIntent } from '../testing/samples.ts';
import { TOKENS } from '../token/catalogue.ts';
import { directTerms, processorTerms } from './bound-terms.ts';
import { type TermsToVerify, verifyTerms } from './verify-terms.ts';

const processor = `0x${'9c'.repeat(20)}`;
const payer = `0x${'aA'.repeat(20)}`;
const nowSeconds = 1_700_000_100;
const find = (shortcode: string) => TOKENS.find((token) => token.shortcode === shortcode)!;

function acceptanceOf(shortcode: string, change: Partial<StoredAcceptance> = {}): StoredAcceptance {
  const token = find(shortcode);
  const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'test', observedAtMs: 0 });
  if (!rate.ok) throw new Error('no rate');
  return {
    position: 0,
    scheme: 'exact',
    network: token.network,
    token,
    payTo: processor,
    amount: atomicAmount(1_500_000n),
    payoutId: 1n,
    maxTimeoutSeconds: 300,
    confirmations: 1,
    rate: rate.rate,
    minimumUsdMicros: null,
    priceEndsAtMs: null,
    ...change,
  };
}

const usdc = acceptanceOf('basesepolia_usdc');
const local = acceptanceOf('anvil_usdc', { position: 1, amount: atomicAmount(1_500_001n) });
const goodHeader: EvmPaymentHeader = {
  x402Version: 1,
  scheme: 'exact',
  network: 'eip155:84532',
  payload: {
    authorization: {
      from: payer,
      to: processor,
      value: '1500000',
      validAfter: String(nowSeconds - 86_400),
      validBefore: String(nowSeconds + 300),
      nonce: `0x${'01'.repeat(32)}`,
    },
    signature: `0x${'02'.repeat(65)}`,
  },
};
const goodEcho: AcceptanceEcho = {
  scheme: 'exact',
  network: '84532',
  maxAmountRequired: '1500000',
  payTo: processor.toUpperCase().replace('0X', '0x'),
};

type Case = {
  header?: Partial<EvmPaymentHeader>;
  authorization?: Partial<EvmPaymentHeader['payload']['authorization']>;
  echo?: Partial<AcceptanceEcho> | null;
  intent?: Partial<Intent>;
  given?: Partial<TermsToVerify>;
};

const verify = (change: Case = {}) => {
  const verdict = verdictOf(change);
  return verdict.ok ? verdict.acceptance.position : verdict.code;
};

function verdictOf({ header = {}, authorization = {}, echo = {}, intent = {}, given = {} }: Case = {}) {
  const payload = { ...goodHeader.payload, authorization: { ...goodHeader.payload.authorization, ...authorization } };
  return verifyTerms({
    intent: sampleIntent({ expiresAtMs: (nowSeconds + 1_000) * 1_000, ...intent }),
    acceptances: [usdc, local],
    decoded: decodePaymentHeader(encodePaymentHeader({ ...goodHeader, payload, ...header })),
    echo: echo === null ? null : { ...goodEcho, ...echo },
    networks: new Map(),
    hourlyCaps: [],
    nowMs: nowSeconds * 1_000,
    purpose: 'exact',
    ...given,
  });
}

/** Changes the stored terms of the acceptance that the header is for. */
const offeredAs = (change: Partial<StoredAcceptance>): Case => ({ given: { acceptances: [{ ...usdc, ...change }] } });
const cap = { network: usdc.network, asset: usdc.token.address.toLowerCase() };
const slowBlocks: Case = { given: { networks: new Map([[usdc.network, { blockSeconds: 12 }]]) } };
const secondsLeft = (seconds: number): Case => ({ authorization: { validBefore: String(nowSeconds + seconds) } });

describe('accepted', () => {
  test.each<[string, Case]>([
    ['the header of the client flow', {}],
    ['without the echo', { echo: null }],
    ['with aliases of the network', { header: { network: '84532' }, echo: { network: 'eip155:84532' } }],
    ['with addresses in another letter case', { authorization: { to: processor.toUpperCase().replace('0X', '0x') } }],
    ['with the asset named', { echo: { asset: usdc.token.address.toLowerCase() } }],
    ['with the asset null', { echo: { asset: null } }],
    ['from the expected sender', { intent: { expectedSender: payer.toLowerCase() } }],
    ['with exactly ten seconds left', { authorization: { validBefore: String(nowSeconds + 10) } }],
    ['with the longest window', { authorization: { validBefore: String(nowSeconds + 3_900) } }],
    ['worth exactly the minimum it was offered under', offeredAs({ minimumUsdMicros: usdMicros(1_500_000n) })],
    ['in the last moment of its price', offeredAs({ priceEndsAtMs: nowSeconds * 1_000 + 1 })],
    ['of exactly the hourly cap', { given: { hourlyCaps: [{ ...cap, capAtomic: 1_500_000n }] } }],
    ['above the hourly cap of another token', { given: { hourlyCaps: [{ ...cap, asset: payer, capAtomic: 1n }] } }],
    [
      'above the hourly cap of another network',
      { given: { hourlyCaps: [{ ...cap, network: 'eip155:1', capAtomic: 1n }] } },
    ],
    ['on slow blocks, with two blocks and the gathering left', { ...slowBlocks, ...secondsLeft(28) }],
  ])('%s', (_, change) => {
    expect(verify(change)).toBe(0);
  });

  test('the acceptance is chosen by the header when there is no echo', () => {
    expect(verify({ echo: null, header: { network: '31337' }, authorization: { value: '1500001' } })).toBe(1);
  });
});

describe('refused by name', () => {
  test.each<[string, Case, string]>([
    ['a header that is none', { given: { decoded: decodePaymentHeader('hello') } }, 'invalid_payment_header'],
    ['an unknown network', { header: { network: 'base' } }, 'network_mismatch'],
    ['another network', { header: { network: '1' } }, 'network_mismatch'],
    ['another network, without the echo', { echo: null, header: { network: '1' } }, 'network_mismatch'],
    ['another scheme', { header: { scheme: 'upto' } }, 'scheme_mismatch'],
    ['exact on an up-to intent', { intent: { upto: true } }, 'scheme_mismatch'],
    ['an edited amount in the echo', { echo: { maxAmountRequired: '1' } }, 'acceptance_mismatch'],
    ['an edited recipient in the echo', { echo: { payTo: payer } }, 'acceptance_mismatch'],
    ['an edited network in the echo', { echo: { network: '1' } }, 'acceptance_mismatch'],
    ['an edited scheme in the echo', { echo: { scheme: 'upto' } }, 'acceptance_mismatch'],
    ['another asset in the echo', { echo: { asset: payer } }, 'asset_mismatch'],
    ['another recipient', { authorization: { to: payer } }, 'recipient_mismatch'],
    ['another recipient, without the echo', { echo: null, authorization: { to: payer } }, 'recipient_mismatch'],
    ['the token itself as recipient', { authorization: { to: usdc.token.address } }, 'recipient_mismatch'],
    ['one unit less', { authorization: { value: '1499999' } }, 'amount_mismatch'],
    ['one unit more', { authorization: { value: '1500001' } }, 'amount_mismatch'],
    ['another amount, without the echo', { echo: null, authorization: { value: '7' } }, 'amount_mismatch'],
    ['a paid intent', { intent: { status: 'completed' } }, 'intent_not_payable'],
    ['a canceled intent', { intent: { status: 'canceled' } }, 'intent_not_payable'],
    ['an expired intent', { intent: { expiresAtMs: nowSeconds * 1_000 } }, 'intent_not_payable'],
    ['an unexpected sender', { intent: { expectedSender: processor } }, 'sender_mismatch'],
    [
      'a payout that the registry contradicts',
      { given: { acceptances: [{ ...usdc, payoutWithdrawn: true }, local] } },
      'x402_temporarily_unavailable',
    ],
    [
      'less than the minimum it was offered under',
      offeredAs({ minimumUsdMicros: usdMicros(1_500_001n) }),
      'x402_minimum_amount_not_met',
    ],
    ['a price that ends now', offeredAs({ priceEndsAtMs: nowSeconds * 1_000 }), 'intent_not_payable'],
    [
      'one unit above the hourly cap',
      { given: { hourlyCaps: [{ ...cap, capAtomic: 1_499_999n }] } },
      'x402_temporarily_unavailable',
    ],
    ['less than two blocks and the gathering left', { ...slowBlocks, ...secondsLeft(27) }, 'authorization_expired'],
    ['nine seconds left', { authorization: { validBefore: String(nowSeconds + 9) } }, 'authorization_expired'],
    ['an end that is now', { authorization: { validBefore: String(nowSeconds) } }, 'authorization_expired'],
    ['a start that is now', { authorization: { validAfter: String(nowSeconds) } }, 'authorization_not_yet_valid'],
    [
      'a window too long',
      { authorization: { validBefore: String(nowSeconds + 3_901) } },
      'authorization_window_too_long',
    ],
  ])('%s', (_, change, code) => {
    expect(verify(change)).toBe(code);
  });
});

describe('a direct payment', () => {
  const wallet = `0x${'66'.repeat(20)}`;
  const direct = acceptanceOf('basesepolia_usdc', { payTo: wallet, direct: sampleActivation({ wallet }) });
  const paying = (change: Case = {}): Case => ({
    ...change,
    echo: null,
    authorization: { to: wallet, ...change.authorization },
    given: { acceptances: [direct], ...change.given },
  });
  const bound = (intentCode: number) => directNonce(directTerms(intentCode, { ...direct, direct: direct.direct! }, 0)!);

  test('may live two minutes longer than asked and no more, so that nobody keeps an intent for long', () => {
    const living = (seconds: number) => verify(paying(secondsLeft(seconds)));
    expect(living(420)).toBe(0);
    expect(living(421)).toBe('authorization_window_too_long');
  });
  test('does not count against the processor’s hourly cap', () => {
    expect(verify(paying({ given: { hourlyCaps: [{ ...cap, capAtomic: 1n }] } }))).toBe(0);
  });
  test('says whether its nonce is bound to this intent', () => {
    expect(verdictOf(paying({ authorization: { nonce: bound(4_242) } }))).toMatchObject({ ok: true, bound: true });
    expect(verdictOf(paying())).not.toHaveProperty('bound');
  });
  test('with a nonce that is bound to another intent is refused, and is nothing to watch for this one', () => {
    const verdict = verdictOf(paying({ authorization: { nonce: bound(4_243) } }));
    expect(verdict).toEqual({ ok: false, code: 'acceptance_mismatch', detail: 'nonce' });
  });

  test.each<[string, Case, string]>([
    ['a paid intent', { intent: { status: 'completed' } }, 'intent_not_payable'],
    ['an expired intent', { intent: { expiresAtMs: nowSeconds * 1_000 } }, 'intent_not_payable'],
    ['an unexpected sender', { intent: { expectedSender: processor } }, 'sender_mismatch'],
    ['a window too long', secondsLeft(100_000), 'authorization_window_too_long'],
    ['a window that ends', secondsLeft(9), 'authorization_expired'],
    [
      'a window that begins later',
      { authorization: { validAfter: String(nowSeconds + 60) } },
      'authorization_not_yet_valid',
    ],
    [
      'less than the minimum',
      { given: { acceptances: [{ ...direct, minimumUsdMicros: usdMicros(1_500_001n) }] } },
      'x402_minimum_amount_not_met',
    ],
  ])('that is refused for %s can still be submitted by anybody, so its terms are told', (_, change, code) => {
    expect(verdictOf(paying(change))).toMatchObject({ ok: false, code, refused: { header: { scheme: 'exact' } } });
  });
  test.each<[string, Case]>([
    ['another amount', { authorization: { value: '1500001' } }],
    ['another recipient', { authorization: { to: processor } }],
    ['another scheme', { header: { scheme: 'upto' } }],
  ])('that pays no acceptance to the letter is not told: %s', (_, change) => {
    expect(verdictOf(paying(change))).not.toHaveProperty('refused');
  });
  test('of a processor payment nothing is told: only the processor can submit what was signed to it', () => {
    expect(verdictOf({ intent: { status: 'completed' } })).toEqual({ ok: false, code: 'intent_not_payable' });
  });
});

describe('a nonce that is bound to a processor payment', () => {
  const shares = { merchant: payer, feeBps: 50, splits: [] };
  const acceptance = { ...usdc, shares };
  const paying = (intentCode: number) => {
    const nonce = boundNonce(processorTerms(intentCode, acceptance, 3)!);
    return verify({ authorization: { nonce }, given: { acceptances: [acceptance] } });
  };
  test('pays this intent and no other', () => {
    expect(paying(4_242)).toBe(0);
    expect(paying(4_243)).toBe('acceptance_mismatch');
  });
});

describe('up-to', () => {
  const cap = acceptanceOf('basesepolia_usdc', { scheme: 'upto', maxTimeoutSeconds: 86_400 });
  const upto = (secondsLeft: number, purpose: TermsToVerify['purpose']) =>
    verify({
      header: { scheme: 'upto' },
      authorization: { validBefore: String(nowSeconds + secondsLeft) },
      echo: null,
      intent: { upto: true },
      given: { acceptances: [cap], purpose },
    });
  test('a confirm leaves a minute at least and the asked window at most', () => {
    expect(upto(60, 'upto_confirm')).toBe(0);
    expect(upto(59, 'upto_confirm')).toBe('authorization_expired');
    expect(upto(90_000, 'upto_confirm')).toBe(0);
    expect(upto(90_001, 'upto_confirm')).toBe('authorization_window_too_long');
  });
  test('of a cap above the hourly cap a part may be settled, so it may be confirmed', () => {
    const hourlyCaps = [{ network: usdc.network, asset: usdc.token.address, capAtomic: 1n }];
    const header: Case = { header: { scheme: 'upto' }, ...secondsLeft(300), echo: null };
    const given = { acceptances: [cap], purpose: 'upto_confirm', hourlyCaps } as const;
    expect(verify({ ...header, intent: { upto: true }, given })).toBe(0);
    const ended = { ...cap, priceEndsAtMs: nowSeconds * 1_000 };
    const late = { ...given, acceptances: [ended] };
    expect(verify({ ...header, intent: { upto: true }, given: late })).toBe('intent_not_payable');
  });
  test('a settle leaves a minute, so that nothing is broadcast too late', () => {
    expect(upto(60, 'upto_settle')).toBe(0);
    expect(upto(59, 'upto_settle')).toBe('authorization_expired');
  });
});

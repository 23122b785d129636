// The order of the steps of confirm and settle of up-to payments. Each case lists the ports that were called.
import { atomicAmount, parseRate } from '@svc-pay/money';
import { encodePaymentHeader } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { describe, expect, test } from 'vitest';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { sampleFamily, sampleIntent, samplePayment } from '../testing/samples.ts';
import { OPEN_BUDGET } from '../testing/settle-world.ts';
import { TOKENS } from '../token/catalogue.ts';
import { type ConfirmCall, confirmUpto } from './confirm-upto.ts';
import { settleUpto, type UptoSettleCall } from './settle-upto.ts';
import type { PaymentProgress } from './settlement-read.ts';
import type { BegunUpto, ConfirmationOutcome, UptoPorts } from './upto-ports.ts';
import type { UptoRead } from './upto-read.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc')!;
const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: 0 });
if (!rate.ok) throw new Error(rate.code);
const processor = `0x${'9c'.repeat(20)}`;
const payer = `0x${'aA'.repeat(20)}`;
const acceptance: StoredAcceptance = {
  position: 0,
  scheme: 'upto',
  network: token.network,
  token,
  payTo: processor,
  amount: atomicAmount(5_000_000n),
  payoutId: 1n,
  maxTimeoutSeconds: 86_400,
  confirmations: 1,
  rate: rate.rate,
  minimumUsdMicros: null,
  priceEndsAtMs: null,
};
const intent = sampleIntent({ upto: true });
const nowSeconds = Math.floor(intent.createdAtMs / 1_000);
const encodedHeader = encodePaymentHeader({
  x402Version: 1,
  scheme: 'upto',
  network: 'eip155:84532',
  payload: {
    authorization: {
      from: payer,
      to: processor,
      value: '5000000',
      validAfter: String(nowSeconds - 60),
      validBefore: String(nowSeconds + 3_600),
      nonce: `0x${'01'.repeat(32)}`,
    },
    signature: `0x${'02'.repeat(65)}`,
  },
});
const paymentOf = (change: Parameters<typeof samplePayment>[0]): PaymentProgress => ({
  payment: samplePayment({ amount: atomicAmount(1_000_000n), ...change }),
  failureCode: null,
  externalCostAmount: null,
  feeAmount: null,
  refundAmount: null,
});
const authorization = {
  network: token.network,
  asset: token.address,
  recipient: processor,
  cap: acceptance.amount,
  validBeforeSeconds: BigInt(nowSeconds + 3_600),
  closed: false,
};
const open: UptoRead = { intent, latest: null, stored: null, submittedIsStored: false };
const stored: UptoRead = { ...open, stored: authorization, submittedIsStored: true };
const storedOther: UptoRead = { ...open, stored: authorization };
const processing: UptoRead = {
  ...stored,
  intent: { ...intent, status: 'processing' },
  latest: paymentOf({ status: 'pending' }),
};
const paid: UptoRead = {
  ...stored,
  intent: { ...intent, status: 'completed' },
  latest: paymentOf({ status: 'completed' }),
};
const claim = { key: 'key', storedKey: 'key', requestHash: new Uint8Array(32) };

type World = {
  /** Successive reads of the database; the last one stays. */
  reads: readonly (UptoRead | undefined)[];
  refused?: ErrorCode;
  holder?: 'here' | 'elsewhere';
  outcome?: ConfirmationOutcome;
  begun?: BegunUpto;
  settleWaitMs?: number;
  told?: boolean;
  /** The payer is on the deny list. */
  denied?: boolean;
};

function portsOf(world: World) {
  const steps: string[] = [];
  let reads = 0;
  let nowMs = intent.createdAtMs;
  const step = <Result>(name: string, result: Result) => {
    steps.push(name);
    return result;
  };
  const family = sampleFamily({
    verifyAuthorization: async ({ header }) =>
      step(
        'verify',
        world.refused === undefined
          ? { ok: true, signed: { kind: 'transfer_with_authorization', byContract: false, ...header.payload } }
          : { ok: false, code: world.refused },
      ),
  });
  const ports: UptoPorts = {
    clock: { nowMs: () => nowMs },
    settleWaitMs: world.settleWaitMs ?? 1_000,
    families: [family],
    networks: new Map([[token.network, { processor, processorVersion: '1.3.0', ready: true }]]),
    findHourlyCaps: async () => [],
    isPayerDenied: () => world.denied === true,
    loadAcceptances: async () => step('acceptances', [acceptance]),
    loadWalletBudget: async () => step('budget', OPEN_BUDGET),
    findClaim: async () => step('find claim', world.holder),
    recordAttempt: async () => step('record attempt', undefined),
    isKeyReused: async () => step('is key reused', false),
    bindKey: async () => step('bind key', undefined),
    wakeLanes: () => step('wake', undefined),
    awaitResult: async () => {
      nowMs += 1;
      return step('wait', world.told ?? true);
    },
    loadUpto: async () => step('load', world.reads[Math.min(reads++, world.reads.length - 1)]),
    recordConfirmation: async () => step('store', world.outcome ?? 'confirmed'),
    beginUpto: async () => step('begin', world.begun ?? { ok: true }),
  };
  return { ports, steps };
}

const command = {
  caller: {} as ConfirmCall['caller'],
  intentId: intent.id,
  requestId: 'req_test',
  claim: null,
  limited: false,
};

async function confirm(world: World, change: Partial<ConfirmCall> = {}) {
  const { ports, steps } = portsOf(world);
  const confirmed = await confirmUpto(ports, { ...command, encodedHeader, echo: null, ...change });
  const said = confirmed.ok
    ? (confirmed.response.error ?? `again ${confirmed.response.alreadyConfirmed}`)
    : confirmed.code;
  return { steps: steps.join(', '), said };
}

async function settle(world: World, change: Partial<UptoSettleCall> = {}) {
  const { ports, steps } = portsOf(world);
  const asked = { atomic: 1_000_000n };
  const settled = await settleUpto(ports, { ...command, asked, encodedHeader: null, ...change });
  const said = settled.ok ? `${settled.response.error ?? settled.response.status} ${settled.replayed}` : settled.code;
  return { steps: steps.join(', '), said };
}

describe('confirm', () => {
  test('loads, verifies, stores, and answers from one more read', async () => {
    expect(await confirm({ reads: [open, stored] }, { claim })).toEqual({
      steps: 'load, is key reused, acceptances, verify, store, load, bind key',
      said: 'again false',
    });
  });
  test.each<[string, World, Partial<ConfirmCall>, string, string]>([
    ['a header that is stored asks no chain', { reads: [stored] }, {}, 'load', 'again true'],
    ['a stored header is answered over the rate limit', { reads: [stored] }, { limited: true }, 'load', 'again true'],
    ['and nothing else is', { reads: [open] }, { limited: true }, 'load', 'rate_limited'],
    ['an intent that the caller does not have', { reads: [undefined] }, {}, 'load', 'not_found'],
    ['an exact intent', { reads: [{ ...open, intent: sampleIntent() }] }, {}, 'load', 'not_an_upto_intent'],
    ['another header while the first can be settled', { reads: [storedOther] }, {}, 'load', 'upto_already_confirmed'],
    [
      'a refused header leaves a note',
      { reads: [open], refused: 'invalid_signature' },
      {},
      'load, acceptances, verify, record attempt, load',
      'invalid_signature',
    ],
    [
      'a payer who is denied asks no chain',
      { reads: [open], denied: true },
      {},
      'load, record attempt, load',
      'payer_denied',
    ],
    ['a stored header of a denied payer stays confirmed', { reads: [stored], denied: true }, {}, 'load', 'again true'],
    [
      'a silent chain refuses nothing',
      { reads: [open], refused: 'chain_unavailable' },
      {},
      'load, acceptances, verify, load',
      'chain_unavailable',
    ],
    [
      'a header that another call stored during the chain read',
      { reads: [open, stored], refused: 'insufficient_funds', holder: 'here' },
      {},
      'load, acceptances, verify, find claim, load',
      'again true',
    ],
    [
      'a header that another intent has',
      { reads: [open], refused: 'insufficient_funds', holder: 'elsewhere' },
      {},
      'load, acceptances, verify, find claim, record attempt, load',
      'authorization_bound_elsewhere',
    ],
    [
      'another header that was stored first',
      { reads: [open], outcome: 'other_confirmed' },
      {},
      'load, acceptances, verify, store, load',
      'upto_already_confirmed',
    ],
  ])('%s', async (_, world, call, steps, said) => {
    expect(await confirm(world, call)).toEqual({ steps, said });
  });
});

describe('settle', () => {
  const withHeader = { encodedHeader };
  test('of a confirmed intent loads, judges, begins, and waits for the result', async () => {
    expect(await settle({ reads: [storedOther, processing, paid] }, { claim })).toEqual({
      steps: 'load, is key reused, acceptances, begin, load, bind key, wake, wait, load',
      said: 'succeeded false',
    });
  });
  test('with a new header stores it first', async () => {
    expect(await settle({ reads: [open, stored, processing, paid] }, withHeader)).toEqual({
      steps: 'load, acceptances, verify, store, load, acceptances, begin, load, wake, wait, load',
      said: 'succeeded false',
    });
  });
  test.each<[string, World, Partial<UptoSettleCall>, string, string]>([
    ['the same amount again begins nothing', { reads: [paid] }, {}, 'load, acceptances', 'succeeded true'],
    [
      'the same amount again waits for a pending payment',
      { reads: [processing, paid] },
      {},
      'load, acceptances, wake, wait, load',
      'succeeded true',
    ],
    [
      'nothing waits where the wait has no length',
      { reads: [processing], settleWaitMs: 0 },
      {},
      'load, acceptances, wake',
      'processing true',
    ],
    ['another amount', { reads: [processing] }, { asked: { atomic: 2n } }, 'load, acceptances', 'upto_already_settled'],
    ['an intent that nobody confirmed', { reads: [open] }, {}, 'load', 'upto_not_confirmed'],
    ['over the rate limit, without an authorization', { reads: [open] }, { limited: true }, 'load', 'rate_limited'],
    [
      'another header while the first can be settled',
      { reads: [storedOther] },
      withHeader,
      'load',
      'upto_already_confirmed',
    ],
    [
      'an amount above the cap stores no header',
      { reads: [open] },
      { ...withHeader, asked: { atomic: 5_000_001n } },
      'load, acceptances, verify, load',
      'settled_amount_out_of_range',
    ],
    [
      'a refused header leaves a note and begins nothing',
      { reads: [open], refused: 'invalid_signature' },
      withHeader,
      'load, acceptances, verify, record attempt, load',
      'invalid_signature false',
    ],
    [
      'a new header of a denied payer asks no chain and begins nothing',
      { reads: [open], denied: true },
      withHeader,
      'load, record attempt, load',
      'payer_denied false',
    ],
    [
      'a cap that was confirmed before its payer was denied is settled',
      { reads: [stored, processing, paid], denied: true },
      {},
      'load, acceptances, begin, load, wake, wait, load',
      'succeeded false',
    ],
    [
      'settlement refuses',
      { reads: [stored], begun: { ok: false, code: 'intent_not_payable' } },
      {},
      'load, acceptances, begin, load',
      'intent_not_payable false',
    ],
    [
      'settlement does not answer, and has begun nothing',
      { reads: [stored], begun: { ok: false, code: 'service_unavailable', delivered: true } },
      {},
      'load, acceptances, begin, load',
      'service_unavailable',
    ],
    [
      'settlement does not answer, and has begun the payment',
      { reads: [stored, processing, paid], begun: { ok: false, code: 'service_unavailable', delivered: true } },
      {},
      'load, acceptances, begin, load, wake, wait, load',
      'succeeded false',
    ],
    [
      'the time is up',
      { reads: [processing], told: false },
      {},
      'load, acceptances, wake, wait, load',
      'processing true',
    ],
  ])('%s', async (_, world, call, steps, said) => {
    expect(await settle(world, call)).toEqual({ steps, said });
  });
});

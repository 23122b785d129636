import { atomicAmount, parseRate } from '@svc-pay/money';
import { evmNetwork, UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { CARRIED_TOKEN, carriedPayment } from '../testing/carried-payment.ts';
import { confirmed, sampleIntent, samplePayment } from '../testing/samples.ts';
import { type ResumeFacts, resumePayment } from './resume-payment.ts';

const NOW_MS = 1_700_000_100_000;
const carried = carriedPayment({ processor: `0x${'ab'.repeat(20)}` });
const read = parseRate({ token: CARRIED_TOKEN.unit, usdPerToken: '1', source: 'test', observedAtMs: 0 });
if (!read.ok) throw new Error(read.code);

const acceptance: StoredAcceptance = {
  position: 0,
  scheme: 'exact',
  network: evmNetwork(84_532),
  token: CARRIED_TOKEN,
  payTo: `0x${'AB'.repeat(20)}`,
  amount: atomicAmount(carried.capAtomic),
  payoutId: carried.payoutId,
  maxTimeoutSeconds: 60,
  confirmations: 4,
  rate: read.rate,
  minimumUsdMicros: null,
  priceEndsAtMs: null,
};
const intent = sampleIntent({ confirmations: 2 });
const facts = (change: Partial<ResumeFacts> = {}): ResumeFacts => ({
  network: evmNetwork(84_532),
  carried,
  batchId: 'bat_1',
  acceptances: [acceptance],
  found: { intent, payment: null, eventSequence: 3 },
  settlement: undefined,
  nowMs: NOW_MS,
  ...change,
});
const written = (change: Partial<ResumeFacts> = {}) => {
  const decided = resumePayment(facts(change));
  if (decided.step !== 'write') throw new Error(JSON.stringify(decided));
  return decided.rows;
};

test.each(['requires_payment', 'failed'] as const)('an intent that is %s is paid under way again', (status) => {
  const found = { intent: { ...intent, status }, payment: null, eventSequence: 3 };
  const { intent: after, ...rows } = written({ found });
  expect(after).toMatchObject({ id: intent.id, status: 'processing', amount: acceptance.amount });
  expect(rows).toMatchObject({ confirmations: 4, tokenShortcode: CARRIED_TOKEN.shortcode, events: [] });
});

test('addresses are written as they were offered, not as the chain has them', () => {
  expect(written().carried).toMatchObject({ asset: CARRIED_TOKEN.address, processor: acceptance.payTo });
});

test('an exact intent keeps its expiry; an up-to intent expires with its authorization, and the merchant is told', () => {
  expect(written().intent).toMatchObject({ expiresAtMs: intent.expiresAtMs, serviceMetadata: {} });
  const upto = { ...intent, upto: true };
  const { events, ...rows } = written({ found: { intent: upto, payment: null, eventSequence: 3 } });
  expect(rows).toMatchObject({
    confirmations: 2,
    intent: {
      expiresAtMs: Number(carried.validBeforeSeconds) * 1_000,
      confirmedPayer: carried.payer,
      serviceMetadata: { [UPTO_CAP_METADATA_KEY]: '1500000' },
    },
  });
  expect(events.map(({ type, sequence, requestId }) => [type, sequence, requestId])).toEqual([
    ['x402_upto_authorization_received', 4, 'bat_1'],
  ]);
});

test('an authorization that the merchant was told of is not announced again', () => {
  const expiresAtMs = Number(carried.validBeforeSeconds) * 1_000;
  const before = { ...confirmed(intent), expiresAtMs };
  expect(written({ found: { intent: before, payment: null, eventSequence: 3 } }).events).toEqual([]);
});

test.each<[string, Partial<StoredAcceptance>]>([
  ['amount', { amount: atomicAmount(carried.capAtomic + 1n) }],
  ['payout', { payoutId: 99n }],
  ['processor', { payTo: `0x${'cd'.repeat(20)}` }],
  ['network', { network: evmNetwork(1) }],
])('terms with another %s were never offered', (_, change) => {
  expect(resumePayment(facts({ acceptances: [{ ...acceptance, ...change }] }))).toEqual({
    step: 'refuse',
    reason: 'its intent never offered these terms',
  });
});

test.each(['queued', 'held', 'batched', 'mined'])(
  'a pending payment of the intent that is %s fails first: the chain settled another one',
  (settlement) => {
    const found = { intent: { ...intent, status: 'processing' as const }, payment: samplePayment(), eventSequence: 3 };
    expect(resumePayment(facts({ found, settlement }))).toEqual({ step: 'fail_other', from: settlement });
  },
);

test.each(['processing', 'completed', 'canceled'] as const)('a %s intent is refused', (status) => {
  const payment = samplePayment({ status: 'completed' });
  const found = { intent: { ...intent, status }, payment, eventSequence: 3 };
  expect(resumePayment(facts({ found, settlement: 'completed' }))).toEqual({
    step: 'refuse',
    reason: `its intent is ${status}`,
  });
});

test('an intent that is gone is refused', () => {
  expect(resumePayment(facts({ found: undefined }))).toEqual({ step: 'refuse', reason: 'its intent is gone' });
});

test('a direct payment whose nonce is bound to other terms pays no intent, whatever code stands behind the call', () => {
  const nonce = `0x${Buffer.from('svcdir').toString('hex')}${'0'.repeat(52)}`;
  const bound = { ...carried, nonce, direct: true } as const;
  expect(resumePayment(facts({ carried: bound }))).toEqual({
    step: 'refuse',
    reason: 'its nonce is bound to other terms',
  });
});

import { expect, test } from 'vitest';
import type { TrailParts } from './read-trail.ts';
import { trailOf } from './trail-steps.ts';

const at = (ms: number) => new Date(1_800_000_000_000 + ms);
const paymentIntent = {
  id: 'pi_1',
  status: 'completed',
  amount: '1000000',
  description: 'Verse',
  intentCode: 7,
  ledgerCanisterId: '0x70',
};

/** Up-to payment whose webhook was refused once. */
const parts = {
  situation: { paymentIntent, payment: null },
  events: [
    event('payment_intent.created', 1, at(0), []),
    event('payment.completed', 2, at(900), [attempt(1, 500, at(950)), attempt(2, 200, at(6_000))]),
  ],
  seen: {
    authorizations: [
      {
        kind: 'transfer_with_authorization',
        direct: false,
        recipient: '0xee',
        payer: '0xaa',
        cap: '1000000',
        validBeforeSeconds: '1800000300',
        createdAt: at(100),
      },
    ],
    refusals: [{ code: 'insufficient_balance', payer: '0xbb', createdAt: at(50) }],
    settlements: [
      {
        paymentId: 'pay_1',
        status: 'completed',
        cap: '1000000',
        settledAmount: '350000',
        createdAt: at(500),
        updatedAt: at(900),
        foreignTransactionId: null,
        batchId: 'b',
        relayer: '0xdd',
        nonce: '4',
        batchStatus: 'mined',
        itemCount: 3,
        blockNumber: '12',
        batchCreatedAt: at(600),
        batchUpdatedAt: at(900),
      },
    ],
    transactions: [{ transactionId: '0x09', createdAt: at(600) }],
    legs: [
      { account: 'network_cost', party: '0xdd', asset: 'native', amount: '-5', createdAt: at(900) },
      { account: 'merchant', party: '0xbb', asset: '0x70', amount: '350000', createdAt: at(900) },
      { account: 'payer', party: '0xaa', asset: '0x70', amount: '-350000', createdAt: at(900) },
    ],
  },
} as unknown as TrailParts;

function event(type: string, sequence: number, createdAt: Date, attempts: readonly object[]) {
  const delivery = { status: 'succeeded', attempts };
  const deliveries = attempts.length === 0 ? [] : [delivery];
  return {
    type,
    sequence,
    createdAt: createdAt.toISOString(),
    deliveries,
    event: { data: { object: { x402_upto: true } } },
  };
}

function attempt(number: number, responseStatus: number, startedAt: Date) {
  const outcome = responseStatus === 200 ? 'succeeded' : 'refused';
  return { attempt: number, outcome, responseStatus, totalMs: 12, startedAt: startedAt.toISOString(), error: null };
}

test('a trail tells everything that happened, in the order of time, and where it was learnt', () => {
  const { steps, isUpto } = trailOf('pi_1', parts);
  expect(isUpto).toBe(true);
  expect(steps.map(({ kind, source, tone }) => `${kind} ${source} ${tone}`)).toEqual([
    'intent api good',
    'refusal operator bad',
    'signature operator good',
    'charge operator good',
    'batch operator good',
    'transaction operator good',
    'end api good',
    'books operator good',
    'webhook api bad',
    'webhook api good',
  ]);
  expect(steps.find(({ kind }) => kind === 'charge')?.title).toBe('Merchant charges 0.35 of 1.00');
});

test('the legs of the payment’s token are shown, who pays first, and none of the gas', () => {
  const [legs] = trailOf('pi_1', parts).steps.flatMap((step) => (step.legs === undefined ? [] : [step.legs]));
  expect(legs?.map(({ account, amountAtomic }) => [account, amountAtomic])).toEqual([
    ['payer', '-350000'],
    ['merchant', '350000'],
  ]);
});

test('a direct payment says that it goes to the merchant’s wallet, and who else’s transaction paid it', () => {
  const { authorizations, settlements } = parts.seen;
  const seen = {
    ...parts.seen,
    authorizations: authorizations.map((one) => ({ ...one, direct: true, recipient: '0x77' })),
    settlements: settlements.map((one) => ({ ...one, batchId: null, foreignTransactionId: '0xf0' })),
  };
  const { steps } = trailOf('pi_1', { ...parts, events: parts.events.slice(1), seen });
  const signature = steps.find(({ kind }) => kind === 'signature');
  expect(signature?.title).toContain('straight to the merchant’s wallet');
  expect(signature?.facts).toContainEqual(['merchant’s wallet', '0x77']);
  expect(steps.filter(({ kind }) => kind === 'transaction').flatMap(({ facts }) => facts)).toContainEqual([
    'hash',
    '0xf0',
  ]);
});

test('a transfer on the Internet Computer is told by its ledger’s block, without a signature and a batch', () => {
  const ledgerCanisterId = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
  const situation = { ...parts.situation, paymentIntent: { ...parts.situation.paymentIntent, ledgerCanisterId } };
  const foreignTransactionId = `${ledgerCanisterId}:12`;
  const settlements = parts.seen.settlements.map((one) => ({ ...one, batchId: null, foreignTransactionId }));
  const seen = { ...parts.seen, authorizations: [], refusals: [], settlements, transactions: [] };
  const events = parts.events.map((one) => ({ ...one, event: {} }));
  const { steps, isTransfer } = trailOf('pi_1', { ...parts, situation, events, seen });
  expect(isTransfer).toBe(true);
  expect(steps.map(({ kind }) => kind)).toEqual(['intent', 'transaction', 'end', 'books', 'webhook', 'webhook']);
  expect(steps.find(({ kind }) => kind === 'transaction')?.facts).toEqual([
    ['ledger', ledgerCanisterId],
    ['block', '12'],
  ]);
});

test('nothing is at rest while a block is not final or a delivery is tried', () => {
  expect(trailOf('pi_1', parts).atRest).toBe(false);
  const settlements = parts.seen.settlements.map((settlement) => ({ ...settlement, batchStatus: 'finalized' }));
  const final = { ...parts, seen: { ...parts.seen, settlements } };
  expect(trailOf('pi_1', final).atRest).toBe(true);
  const trying = final.events.map((one) => ({
    ...one,
    deliveries: one.deliveries.map((delivery) => ({ ...delivery, status: 'pending' as const })),
  }));
  expect(trailOf('pi_1', { ...final, events: trying }).atRest).toBe(false);
});

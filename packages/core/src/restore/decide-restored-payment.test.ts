import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { carriedPayment } from '../testing/carried-payment.ts';
import {
  decideRestoredPayment,
  type IntentOwner,
  type StoredPaymentState,
  type StoredSettlement,
} from './decide-restored-payment.ts';

const [accountId, intentId] = [newId('account', 0), newId('paymentIntent', 0)];
const owner: IntentOwner = { accountId, mode: 'test', intentId, standIn: false };
const carried = carriedPayment();

const settled = (change: Partial<StoredSettlement> = {}): StoredSettlement => ({
  accountId,
  mode: 'test',
  paymentId: newId('payment', 0),
  status: 'queued',
  batchId: null,
  settledAtomic: carried.settledAtomic,
  stranded: false,
  ...change,
});
const claimed = (settlement: StoredSettlement | undefined): StoredPaymentState => ({
  owner,
  claim: { accountId, intentId, settlement },
});
const decide = (state: StoredPaymentState, recorded = false) =>
  decideRestoredPayment(carried, { id: 'bat_1', recorded }, state);

test('what was lost decides the step: nothing but the intent is resumed, and without an intent it is adopted', () => {
  expect(decide({ claim: undefined, owner: undefined })).toEqual({ step: 'adopt' });
  expect(decide({ claim: undefined, owner })).toEqual({ step: 'resume', owner });
  expect(decide(claimed(undefined))).toEqual({ step: 'resume', owner });
});

test.each<[string, Partial<StoredSettlement>]>([
  ['queued', { status: 'queued' }],
  ['held', { status: 'held' }],
  ['in another batch', { status: 'batched', batchId: 'bat_0' }],
  ['mined in another batch', { status: 'mined', batchId: 'bat_0' }],
])('a payment that is %s is bound to the batch that settled it', (_, change) => {
  const settlement = settled(change);
  expect(decide(claimed(settlement))).toEqual({ step: 'bind', settlement });
});

test.each<[string, Partial<StoredSettlement>]>([
  ['completed', { status: 'completed', batchId: 'bat_0' }],
  ['in this batch already', { status: 'batched', batchId: 'bat_1' }],
])('a payment that is %s is left as it is', (_, change) => {
  expect(decide(claimed(settled(change)))).toEqual({ step: 'known' });
});

test.each<[string, Partial<StoredSettlement>, string]>([
  ['another amount', { settledAtomic: 1n }, 'the chain settled 1500000, its order was 1'],
  ['another amount, although completed', { status: 'completed', settledAtomic: 1n }, 'its order was 1'],
  ['failed', { status: 'failed' }, 'the books call its payment failed'],
  ['canceled', { status: 'canceled' }, 'the books call its payment canceled'],
  ['stranded', { status: 'held', stranded: true }, 'its money is booked as stranded'],
])('a payment that the database has as %s is refused', (_, change, reason) => {
  expect(decide(claimed(settled(change)))).toEqual({ step: 'refuse', reason: expect.stringContaining(reason) });
});

test.each<[StoredSettlement['status'], 'known' | 'refuse']>([
  ['completed', 'known'],
  ['held', 'known'],
  ['queued', 'refuse'],
  ['batched', 'refuse'],
  ['mined', 'refuse'],
  ['failed', 'refuse'],
  ['canceled', 'refuse'],
])('a %s payment of a batch with a recorded result: %s', (status, step) => {
  expect(decide(claimed(settled({ status })), true)).toMatchObject({ step });
});

test('a recorded batch is never given a payment that the database does not have', () => {
  for (const state of [{ claim: undefined, owner: undefined }, { claim: undefined, owner }, claimed(undefined)]) {
    expect(decide(state, true)).toEqual({ step: 'refuse', reason: 'its batch is recorded without it' });
  }
});

test('an authorization that is claimed for another intent, or for a lost one, is refused in every case', () => {
  const elsewhere = { accountId, intentId: newId('paymentIntent', 1), settlement: settled({ status: 'completed' }) };
  for (const stored of [owner, undefined]) {
    for (const recorded of [true, false]) {
      expect(decide({ claim: elsewhere, owner: stored }, recorded)).toEqual({
        step: 'refuse',
        reason: 'its authorization is claimed for another intent',
      });
    }
  }
});

import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import type { GasLoss } from '../ledger/gas-loss.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { decideHeldCompletion, decideHeldGas, type HeldCompletionFacts } from './decide-held-completion.ts';

const NOW_MS = 1_700_000_000_000;
const OURS = '0xaa';
const { mined: settled, item } = settledPayment({});
const mined = { transactionId: OURS, items: [settled] };

type Row = HeldCompletionFacts & { readonly done: string; readonly because: string };
const row = (
  settlement: string | undefined,
  batch: readonly [NonNullable<HeldCompletionFacts['batch']>['status'], transactionId?: string] | undefined,
  done: string,
  because: string,
): Row => ({
  settlement,
  batch: batch && { status: batch[0], transactionId: batch[1] ?? OURS },
  done,
  because,
});

describe('a held payment that a transaction settled', () => {
  test.each([
    row('held', ['mined'], 'completed', 'its batch is recorded with the transaction'),
    row('held', ['finalized'], 'completed', 'its batch is recorded with the transaction'),
    row('held', ['signed'], 'in_flight', 'the lane records the batch'),
    row('held', ['broadcast'], 'in_flight', 'the lane records the batch, as after a reorg'),
    row('completed', ['mined'], 'in_flight', 'somebody was faster'),
    row('queued', ['finalized'], 'in_flight', 'the payment is not held any more'),
    row('held', ['mined', '0xbb'], 'unrecorded', 'the batch is recorded with another transaction'),
    row('held', ['finalized', '0xbb'], 'unrecorded', 'the batch is recorded with another transaction'),
    row('held', ['replaced'], 'unrecorded', 'the batch was given up'),
    row('held', ['dropped'], 'unrecorded', 'the batch was given up'),
    row('held', undefined, 'unrecorded', 'no batch of ours has the transaction'),
    row(undefined, undefined, 'unrecorded', 'no batch of ours has the transaction'),
  ])('is $done: $because ($settlement, $batch.status)', ({ done, settlement, batch }) => {
    expect(decideHeldCompletion({ settlement, batch }, mined)).toBe(done);
  });

  test('is not completed by a transaction that did not settle it', () => {
    const items = [{ paymentId: item.paymentId, outcome: 'no_evidence' as const }];
    const batch = { status: 'mined' as const, transactionId: OURS };
    expect(decideHeldCompletion({ settlement: 'held', batch }, { transactionId: OURS, items })).toBe('unrecorded');
  });
});

describe('the gas of a held payment', () => {
  const lossOf = (paymentId: GasLoss['paymentId'], amountAtomic: bigint): GasLoss => ({
    id: newId('ledgerEntry', NOW_MS),
    network: evmNetwork(84_532),
    relayer: '0xre',
    batchId: 'bat_a',
    transactionId: OURS,
    accountId: item.accountId,
    paymentId,
    payer: item.payer,
    cause: 'authorization_used',
    amountAtomic,
    reverses: null,
    createdAtMs: NOW_MS,
  });
  const [own, other] = [lossOf(item.paymentId, 30n), lossOf(newId('payment', NOW_MS), 70n)];
  const back = { ...own, id: newId('ledgerEntry', NOW_MS), amountAtomic: -30n, reverses: own.id };
  const gas = (facts: Parameters<typeof decideHeldGas>[0]) =>
    decideHeldGas(facts, item.paymentId, { gasCostAtomic: 100n }, { nowMs: NOW_MS });

  test('is the whole cost while nothing of the transaction is booked', () => {
    expect(gas({ gasBooked: false, gasInEntries: false, losses: [] })).toEqual({ gasAtomic: 100n, losses: [] });
  });

  test.each([
    { gasBooked: true, gasInEntries: false },
    { gasBooked: false, gasInEntries: true },
    { gasBooked: true, gasInEntries: true },
  ])('is the loss booked for it, which is reversed, and nobody else’s ($gasBooked, $gasInEntries)', (booked) => {
    const { gasAtomic, losses } = gas({ ...booked, losses: [own, other] });
    expect(gasAtomic).toBe(30n);
    expect(losses).toMatchObject([{ paymentId: item.paymentId, amountAtomic: -30n, reverses: own.id }]);
  });

  test('is nothing if its loss is reversed already, or was never booked', () => {
    for (const losses of [[own, back, other], [other], []])
      expect(gas({ gasBooked: true, gasInEntries: false, losses })).toEqual({ gasAtomic: 0n, losses: [] });
  });
});

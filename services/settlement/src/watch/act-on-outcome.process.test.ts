import { actOnOutcome, decideOnOutcome } from '@svc-pay/core';
import { createStrandedStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase, insertRow, queuePayment, seedMerchant } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';

const NETWORK = evmNetwork(84_532);
const RELAYER = `0x${'5e'.repeat(20)}`;
const TX = `0x${'ab'.repeat(32)}`;

/** Sets up a held payment that TX settled on chain; TX belongs to a batch with the given status. */
async function heldWorld(batchStatus: string, recordedId = TX) {
  const { pool } = await createTestDatabase();
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  await queuePayment(pool, caller);
  await pool.query("update svc.settlements set status = 'held'");
  await pool.query(
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
     values ($1, $2, 'test', 8, 'active', now())`,
    [NETWORK, RELAYER],
  );
  const own = { network: NETWORK, mode: 'test', transaction_id: recordedId };
  await insertRow(pool, 'batches', { ...own, id: 'bat_1', relayer: RELAYER, status: batchStatus });
  await insertRow(pool, 'batch_transactions', { ...own, batch_id: 'bat_1', transaction_id: TX });
  const lines: string[] = [];
  const deps = {
    stranded: createStrandedStore(pool),
    clock: { nowMs: () => Date.now() },
    log: (event: string) => void lines.push(event),
  };
  const act = async () => {
    const [payment] = await deps.stranded.loadHeldPayments(NETWORK, 0n, 1);
    if (payment === undefined) throw new Error('no payment is held');
    const { paymentId } = payment.item;
    const settled = {
      outcome: 'settled',
      logIndex: 2,
      transferLogIndex: 1,
      feeAtomic: 15_000n,
      escrowedFor: [],
    } as const;
    const mined = {
      batchId: 'bat_1',
      transactionId: TX,
      blockNumber: 9n,
      blockHash: `0x${'b1'.repeat(32)}`,
      confirmations: 9n,
      reverted: false,
      gasCostAtomic: 1_000n,
      feeRecipient: `0x${'fe'.repeat(20)}`,
      items: [{ paymentId, ...settled }],
    };
    const decision = decideOnOutcome(payment.settlement, { outcome: 'settled', mined });
    await actOnOutcome({ network: NETWORK, gasCoin: undefined }, deps, payment, decision);
    return lines.splice(0);
  };
  return { pool, act };
}

describe('a held payment that a transaction of ours settled', () => {
  test('waits without an alarm until the lane records that transaction, and completes then', async () => {
    const { pool, act } = await heldWorld('broadcast');
    expect(await act()).toEqual([]);
    expect((await pool.query('select status from svc.settlements')).rows).toEqual([{ status: 'held' }]);
    await pool.query("update svc.batches set status = 'mined', block_number = 9, block_hash = '0xb1'");
    expect(await act()).toEqual(['held_payment_completed']);
    expect((await pool.query('select status from svc.payments')).rows).toEqual([{ status: 'completed' }]);
  });

  test.each([
    ['was given up for another one', 'replaced', TX],
    ['is not the one that the lane recorded', 'mined', `0x${'cd'.repeat(32)}`],
  ])('is an alarm where that transaction %s', async (_, status, recordedId) => {
    const { act } = await heldWorld(status, recordedId);
    expect(await act()).toEqual(['payment_settled_unrecorded']);
  });
});

import { receivedLog } from '@svc-pay/core/testing/contracts';
import { expect, test } from 'vitest';
import { createApplyHarness } from '../testing/apply-harness.ts';

const ALL = { index: 0, count: 1 };

async function twoSent() {
  const harness = await createApplyHarness();
  const { settling, lane } = harness;
  const claims = [await harness.claim(await harness.offer()), await harness.claim(await harness.offer())] as const;
  const lease = { ...lane, epoch: await settling.takeOver(lane) };
  const items = await settling.loadQueue(lane, ALL, 9);
  const signed = { transactionId: '0xsent', raw: Buffer.from('sent') };
  await settling.storeBatches(lease, [{ id: 'bat_one', nonce: 7n, signed, items }]);
  const [batch] = await settling.loadPendingBatches(lane);
  if (batch === undefined) throw new Error('not stored');
  const record = (logIndexes: readonly [number, number]) =>
    settling.recordMined(lease, [
      {
        batch,
        mined: {
          batchId: batch.id,
          transactionId: '0xsent',
          blockNumber: 9n,
          blockHash: '0xb',
          confirmations: 9n,
          reverted: false,
          gasCostAtomic: 5n,
          feeRecipient: `0x${'fe'.repeat(20)}`,
          items: items.map(({ paymentId, settledAtomic, payout }, index) => ({
            paymentId,
            outcome: 'settled' as const,
            logIndex: logIndexes[index] ?? 0,
            transferLogIndex: 0,
            feeAtomic: (settledAtomic * BigInt(payout.feeBps)) / 10000n,
            escrowedFor: [],
          })),
        },
      },
    ]);
  return { harness, claims, record };
}

test('two payments never share a log: nothing is written, and the error names both', async () => {
  const { harness, claims, record } = await twoSent();
  const before = await harness.read();
  await expect(record([4, 4])).rejects.toThrow(claims[1].paymentId);
  expect(await harness.read()).toEqual(before);
  expect(await harness.proofs()).toEqual([]);
  expect(await record([4, 5])).toBe(true);
  expect(await harness.proofs()).toMatchObject([{ payment: claims[0].paymentId }, { payment: claims[1].paymentId }]);
});

test('a log that is stored as a receipt proves no payment, and the error says so', async () => {
  const { harness, claims, record } = await twoSent();
  const log = receivedLog(await harness.offer(), { amountAtomic: 1n });
  const at = { ...log, position: { ...log.position, transactionId: '0xsent', logIndex: 5 } };
  await harness.putLog(at);
  const final = { log: at, blockTimeSeconds: 1n, transfer: undefined, received: undefined };
  expect((await harness.apply.applyLog(harness.network, final, harness.nowMs())).outcome).toBe('unattributed');
  await expect(record([4, 5])).rejects.toThrow(new RegExp(`${claims[1].paymentId}.*other_terms`));
});

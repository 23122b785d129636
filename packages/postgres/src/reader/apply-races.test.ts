// What happens when the chain reader applies a log while another process writes the same rows.
import { claimKey, INTENT_STATUS, type LaneItem, type PendingBatch } from '@svc-pay/core';
import {
  type OfferedIntent,
  receivedLog,
  type SignedHere,
  transferOfUse,
  usedLog,
} from '@svc-pay/core/testing/contracts';
import { newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { applyLog, expectSound, read } from '../testing/apply-final.ts';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';

const ALL = { index: 0, count: 1 };
const ROUNDS = 12;

const readUse = async (harness: PostgresApplyHarness, intent: OfferedIntent, signed: SignedHere) => {
  const log = usedLog(intent, signed);
  return read(harness, log, { transfer: transferOfUse(intent, log) });
};

async function send(harness: PostgresApplyHarness, items: readonly LaneItem[]): Promise<PendingBatch> {
  const { settling, lane, nowMs } = harness;
  const lease = { ...lane, epoch: await settling.takeOver(lane) };
  const id = newId('batch', nowMs());
  const nonce = (await settling.heartbeat(lease))?.nextNonce ?? 0n;
  const signed = { transactionId: `0x${id}`, raw: Buffer.from(id) };
  expect(await settling.storeBatches(lease, [{ id, nonce, signed, items }])).toBe(true);
  const batch = (await settling.loadPendingBatches(lane)).find((one) => one.id === id);
  if (batch === undefined) throw new Error('not stored');
  return batch;
}

describe('a log that is applied', () => {
  test('while its lane records the same transaction completes the payment once', async () => {
    const harness = await createApplyHarness();
    const { settling, lane, apply, network } = harness;
    for (let round = 0; round < ROUNDS; round += 1) {
      const intent = await harness.offer({ use: 'exclusive' });
      const claim = await harness.claim(intent);
      const batch = await send(harness, await settling.loadQueue(lane, ALL, 9));
      const transactionId = batch.transactions[0]?.transactionId ?? '';
      const given = usedLog(intent, claim);
      const log = { ...given, position: { ...given.position, transactionId } };
      const transfer = transferOfUse(intent, log);
      const final = await read(harness, log, { transfer });
      const lease = { ...lane, epoch: await settling.takeOver(lane) };
      const { logIndex } = transfer;
      const item = { logIndex, transferLogIndex: logIndex, feeAtomic: 0n, escrowedFor: [] };
      const mined = {
        batchId: batch.id,
        transactionId,
        blockNumber: 200n,
        blockHash: '0xb',
        confirmations: 9n,
        reverted: false,
        gasCostAtomic: 5n,
        feeRecipient: '',
        items: [
          {
            paymentId: claim.paymentId,
            outcome: 'settled' as const,
            ...item,
          },
        ],
      };
      const [recorded, applied] = await Promise.all([
        settling.recordMined(lease, [{ batch, mined }]),
        applyLog(harness, final),
      ]);
      expect(recorded).toBe(true);
      expect(applied).toEqual({ outcome: 'recorded', paymentId: claim.paymentId });
      expect(await apply.dropRecorded(network, [log])).toEqual([log]);
    }
    await expectSound(harness);
    const { rows } = await harness.pool.query(
      'select distinct status, batch_id is not null as batched from svc.settlements',
    );
    expect(rows).toEqual([{ status: 'completed', batched: true }]);
  });

  test('while a lane takes the payment into a batch is applied before, or waits for the lane', async () => {
    const harness = await createApplyHarness();
    const { settling, lane, nowMs } = harness;
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const intent = await harness.offer({ use: 'exclusive' });
      const claim = await harness.claim(intent);
      const items = await settling.loadQueue(lane, ALL, 9);
      const lease = { ...lane, epoch: await settling.takeOver(lane) };
      const id = newId('batch', nowMs());
      const nonce = (await settling.heartbeat(lease))?.nextNonce ?? 0n;
      const signed = { transactionId: `0x${id}`, raw: Buffer.from(id) };
      const final = await readUse(harness, intent, claim);
      const [stored, applied] = await Promise.all([
        settling.storeBatches(lease, [{ id, nonce, signed, items }]),
        harness.apply.applyLog(harness.network, final, nowMs()),
      ]);
      const row = (await harness.read()).payments.find((one) => one.id === claim.paymentId);
      expect(row?.settlement).toBe(stored ? 'batched' : 'completed');
      expect(applied.outcome).toBe(stored ? 'waits' : 'completed');
      seen.add(applied.outcome);
      if (stored) await settling.recordReplaced(lease, id);
      expect((await applyLog(harness, final)).outcome).toBe(stored ? 'completed' : 'ignored');
    }
    await expectSound(harness);
    expect(await harness.unapplied()).toBe(0);
  });

  test('of a pay() while a header is claimed pays the intent once, whichever is first', async () => {
    const harness = await createApplyHarness();
    const { settling, lane } = harness;
    for (let round = 0; round < ROUNDS; round += 1) {
      const intent = await harness.offer();
      const final = await read(harness, receivedLog(intent));
      const [applied] = await Promise.all([
        applyLog(harness, final),
        harness.claim(intent).catch((problem: unknown) => problem),
      ]);
      expect(applied.outcome).toBe('completed');
      const rows = (await harness.read()).payments.filter((one) => one.intent === intent.intentId);
      expect(rows.filter(({ status }) => status === 'completed')).toHaveLength(1);
      expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
    }
    expect(await settling.loadQueue(lane, ALL, 100)).toEqual([]);
    await expectSound(harness);
  });

  test('beside others for the same intent pays it once: the others are payments of their own', async () => {
    const harness = await createApplyHarness();
    for (let round = 0; round < ROUNDS; round += 1) {
      const open = await harness.offer();
      const finals = await Promise.all([1, 2, 3].map(() => read(harness, receivedLog(open))));
      const received = await Promise.all(finals.map((final) => applyLog(harness, final)));
      expect(received.map(({ outcome }) => outcome).toSorted()).toEqual(['completed', 'mismatched', 'mismatched']);
      const direct = await harness.offer({ use: 'exclusive' });
      const refused = [await harness.refuse(direct), await harness.refuse(direct), await harness.refuse(direct)];
      const uses = await Promise.all(refused.map((signed) => readUse(harness, direct, signed)));
      const landed = await Promise.all(uses.map((final) => applyLog(harness, final)));
      expect(landed.map(({ outcome }) => outcome).toSorted()).toEqual(['completed', 'mismatched', 'mismatched']);
    }
    await expectSound(harness);
  });

  test('by two processes at once is applied by one', async () => {
    const harness = await createApplyHarness();
    for (let round = 0; round < ROUNDS; round += 1) {
      const intent = await harness.offer();
      const final = await read(harness, receivedLog(intent));
      const twice = await Promise.all([applyLog(harness, final), applyLog(harness, final)]);
      expect(twice.map(({ outcome }) => outcome).toSorted()).toEqual(['completed', 'ignored']);
    }
    await expectSound(harness);
  });

  test('while the merchant cancels pays the intent or stands beside it; a canceled intent stays unpaid', async () => {
    const harness = await createApplyHarness();
    for (let round = 0; round < ROUNDS; round += 1) {
      const intent = await harness.offer();
      const final = await read(harness, receivedLog(intent));
      const cancel = harness.pool.query(
        "update svc.intents set status = 'canceled', version = version + 1 where id = $1 and status = 'requires_payment'",
        [intent.intentId],
      );
      const [applied, canceled] = await Promise.all([applyLog(harness, final), cancel]);
      const { rows } = await harness.pool.query('select status from svc.intents where id = $1', [intent.intentId]);
      const wasCanceled = canceled.rowCount === 1;
      expect(rows).toEqual([{ status: wasCanceled ? INTENT_STATUS.canceled : INTENT_STATUS.completed }]);
      expect(applied.outcome).toBe(wasCanceled ? 'mismatched' : 'completed');
    }
    await expectSound(harness);
  });

  test('of a refused authorization while the API claims the same one completes one payment', async () => {
    const harness = await createApplyHarness();
    for (let round = 0; round < ROUNDS; round += 1) {
      const intent = await harness.offer({ use: 'exclusive' });
      const signed = await harness.signBound(intent);
      const final = await readUse(harness, intent, signed);
      const { network, token } = intent.acceptance;
      const key = claimKey({ network, asset: token.address, payer: signed.payer, uniquePart: signed.nonce });
      const [, applied] = await Promise.all([
        harness.claimSigned(intent, { ...signed, claimKey: key }, { bound: true, used: true }).catch(() => undefined),
        applyLog(harness, final),
      ]);
      expect(applied.outcome).toBe('completed');
      const rows = (await harness.read()).payments.filter((one) => one.intent === intent.intentId);
      expect(rows).toMatchObject([{ status: 'completed', intentStatus: 'completed', named: true }]);
    }
    await expectSound(harness);
  });
});

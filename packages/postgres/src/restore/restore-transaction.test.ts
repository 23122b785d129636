// States in which a backup may have a payment that the chain has settled since.
import { randomBytes } from 'node:crypto';
import { type CarriedPayment, codesOfPrefix, firstBlockToRead, type OnChainTransaction } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { carriedFor, carriedOf } from '../testing/carried-payment.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { createLaneWorld, FIRST_NONCE, type LaneWorld } from '../testing/lane-world.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { findMissingNonces, loadRecordedBlocks } from './lanes-to-restore.ts';
import { restoreTransaction } from './restore-transaction.ts';
import { skipUsedIntentCodes } from './skip-used-intent-codes.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);
const hash = () => `0x${randomBytes(32).toString('hex')}`;

const sentWith = (lane: LaneWorld, carried: readonly CarriedPayment[], nonce = FIRST_NONCE): OnChainTransaction => ({
  ...lane.lane,
  nonce,
  transactionId: hash(),
  raw: randomBytes(8),
  blockNumber: 9n,
  form: 'settle',
  carried,
  settled: carried,
});

async function restore(lane: LaneWorld, onChain: OnChainTransaction) {
  const restored = await restoreTransaction(lane.pool, await lane.takeLease(), onChain, Date.now());
  return restored && { batch: restored.batch, outcomes: restored.payments.map(({ outcome }) => outcome) };
}
const batches = async ({ pool }: LaneWorld) =>
  (await pool.query('select nonce::integer, status from svc.batches order by nonce, created_at')).rows;

test('an intent of the backup is paid under way again; once more, nothing is missing', async () => {
  const lane = await world();
  const onChain = sentWith(lane, [await carriedFor(lane, await createTestIntent(lane.pool, lane.caller))]);
  expect(await restore(lane, onChain)).toEqual({ batch: 'missing', outcomes: ['resumed'] });
  expect(await restore(lane, onChain)).toEqual({ batch: 'pending', outcomes: ['known'] });
  expect(await lane.statuses()).toEqual({ pending: 1 });
  const lease = await lane.takeLease();
  const [pendingBatch] = await lane.store.loadPendingBatches(lease);
  expect(pendingBatch).toMatchObject({ nonce: FIRST_NONCE, items: [{ intentCode: onChain.carried[0]!.intentCode }] });
  expect(await lane.store.heartbeat(lease)).toMatchObject({ nextNonce: FIRST_NONCE + 1n });
});

test('a payment that waited is bound to the transaction that settled it', async () => {
  const lane = await world();
  await lane.queue(1);
  const lease = await lane.takeLease();
  const [item] = await lane.store.loadQueue(lease, { index: 0, count: 1 }, 10);
  expect(await restore(lane, sentWith(lane, [carriedOf(lane, item!)]))).toEqual({
    batch: 'missing',
    outcomes: ['bound'],
  });
  expect(await lane.statuses()).toEqual({ pending: 1 });
});

test('a dearer transaction of a batch in flight joins it; another call under its nonce takes its place', async () => {
  const lane = await world();
  await lane.queue(1);
  const lease = await lane.takeLease();
  const [item] = await lane.store.loadQueue(lease, { index: 0, count: 1 }, 10);
  const signed = { transactionId: hash(), raw: randomBytes(8) };
  const stored = { id: 'batch_1', nonce: FIRST_NONCE, signed, items: [item!] };
  expect(await lane.store.storeBatches(lease, [stored])).toBe(true);
  expect(await restore(lane, sentWith(lane, [carriedOf(lane, item!)]))).toEqual({
    batch: 'pending',
    outcomes: ['known'],
  });
  expect((await lane.store.loadPendingBatches(lane.lane))[0]?.transactions).toHaveLength(2);
  const other = await carriedFor(lane, await createTestIntent(lane.pool, lane.caller));
  expect(await restore(lane, sentWith(lane, [other]))).toEqual({ batch: 'missing', outcomes: ['resumed'] });
  expect(await batches(lane)).toEqual([
    { nonce: Number(FIRST_NONCE), status: 'replaced' },
    { nonce: Number(FIRST_NONCE), status: 'broadcast' },
  ]);
  expect(await lane.store.loadQueue(await lane.takeLease(), { index: 0, count: 1 }, 10)).toHaveLength(1);
});

test('a payment that held the intent gives way to the one that the chain settled', async () => {
  const lane = await world();
  const { intentId } = await queuePayment(lane.pool, lane.caller);
  const onChain = sentWith(lane, [await carriedFor(lane, intentId)]);
  expect(await restore(lane, onChain)).toEqual({ batch: 'missing', outcomes: ['resumed'] });
  expect(await lane.statuses()).toEqual({ failed: 1, pending: 1 });
});

test('a lost intent gets a stand-in that says so, without anything that the chain does not say', async () => {
  const lane = await world();
  const known = await carriedFor(lane, await createTestIntent(lane.pool, lane.caller));
  const lost = { ...known, intentCode: known.intentCode + 999n, settledAtomic: 1n };
  expect(await restore(lane, sentWith(lane, [lost]))).toEqual({ batch: 'missing', outcomes: ['adopted'] });
  const { rows } = await lane.pool.query(
    `select account_id, x402_upto, description, metadata, service_metadata ? 'svc_recovered_from_chain' as stand_in
     from svc.intents where intent_code = $1`,
    [lost.intentCode.toString()],
  );
  expect(rows).toEqual([
    { account_id: lane.caller.accountId, x402_upto: true, description: null, metadata: '{}', stand_in: true },
  ]);
});

test.each<[string, (carried: CarriedPayment) => CarriedPayment]>([
  ['terms that were never offered', (carried) => ({ ...carried, capAtomic: carried.capAtomic + 1n })],
  ['a payout of nobody', (carried) => ({ ...carried, intentCode: carried.intentCode + 5n, payoutId: 999n })],
])('%s are refused and written nowhere', async (_, change) => {
  const lane = await world();
  const carried = await carriedFor(lane, await createTestIntent(lane.pool, lane.caller));
  expect(await restore(lane, sentWith(lane, [change(carried)]))).toMatchObject({ outcomes: ['refused'] });
  expect(await lane.statuses()).toEqual({});
});

test('who no longer holds the lane writes nothing', async () => {
  const lane = await world();
  const lease = await lane.takeLease();
  await lane.takeLease();
  const onChain = sentWith(lane, [await carriedFor(lane, await createTestIntent(lane.pool, lane.caller))]);
  expect(await restoreTransaction(lane.pool, lease, onChain, Date.now())).toBeUndefined();
  expect(await batches(lane)).toEqual([]);
});

test('nonces without a batch are named, and reading begins before the first of them', async () => {
  const lane = await world();
  await lane.queue(1);
  await lane.settle();
  await lane.pool.query(`update svc.batches set status = 'finalized', block_number = 40`);
  const counts = (count: bigint) => new Map([[lane.lane.relayer, count]]);
  const known = async (count: bigint) =>
    firstBlockToRead(await loadRecordedBlocks(lane.pool, lane.lane.network), counts(count));
  expect(await findMissingNonces(lane.pool, lane.lane, FIRST_NONCE, FIRST_NONCE + 1n)).toEqual([]);
  expect(await known(FIRST_NONCE + 1n)).toBe(40n);
  const carried = await carriedFor(lane, await createTestIntent(lane.pool, lane.caller));
  await restore(lane, sentWith(lane, [carried], FIRST_NONCE + 2n));
  await lane.pool.query(`update svc.batches set status = 'finalized', block_number = 60 where status = 'broadcast'`);
  const missing = (from: bigint) => findMissingNonces(lane.pool, lane.lane, from, FIRST_NONCE + 4n);
  expect(await missing(FIRST_NONCE)).toEqual([FIRST_NONCE + 1n, FIRST_NONCE + 3n]);
  // A lane without a batch in the backup: the chain's first transaction may have reverted and left no log.
  expect((await missing(FIRST_NONCE - 1n))[0]).toBe(FIRST_NONCE - 1n);
  expect(await known(FIRST_NONCE + 3n)).toBe(40n);
});

test('an epoch of codes is one that neither the database nor the chain has seen', async () => {
  const lane = await world();
  await createTestIntent(lane.pool, lane.caller);
  const { rows } = await lane.pool.query('select intent_code_prefix as epoch from svc.installation');
  const operation = { pool: lane.pool, nowMs: Date.now(), actor: 'operator:test' };
  const used = [codesOfPrefix(rows[0].epoch).first];
  const drawn = await skipUsedIntentCodes(operation, used);
  expect(drawn).not.toBe(rows[0].epoch);
  const { rows: next } = await lane.pool.query('select svc.next_intent_code() as code');
  expect(BigInt(next[0].code)).toBe(codesOfPrefix(drawn).first);
});

test('a refund that the backup lacks has its batch and its nonce again, and its gas is booked as nobody’s', async () => {
  const lane = await world();
  const onChain = { ...sentWith(lane, []), form: 'refund' } as const;
  expect(await restore(lane, onChain)).toEqual({ batch: 'missing', outcomes: [] });
  expect(await restore(lane, onChain)).toEqual({ batch: 'pending', outcomes: [] });
  const lease = await lane.takeLease();
  const [batch] = await lane.store.loadPendingBatches(lease);
  const mined = {
    batchId: batch!.id,
    transactionId: onChain.transactionId,
    blockNumber: 9n,
    blockHash: '0xb9',
    confirmations: 9n,
    reverted: false,
    gasCostAtomic: 7n,
    feeRecipient: '',
    items: [],
  };
  expect(await lane.store.recordMined(lease, [{ batch: batch!, mined }])).toBe(true);
  const { rows } = await lane.pool.query('select payment_id, cause, amount from svc.gas_losses');
  expect(rows).toEqual([{ payment_id: null, cause: 'unknown', amount: '7' }]);
});

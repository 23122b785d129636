// What a restore must not stop at, and what it must not pass over in silence.
import { laneRound } from '@svc-pay/core';
import { copyTestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { openNode } from '../rpc/solana-node.ts';
import { queueText } from '../testing/queue-text.ts';
import { booksOf, networkOf, offer, once, restore, type World, world } from '../testing/restore-world.ts';

/** Signs and stores what is queued; no node hears of it. */
async function storeUnheard(lane: World): Promise<void> {
  const broadcast = async () => ({ outcome: 'unknown' as const });
  await laneRound({ ...lane.deps, chain: { ...lane.deps.chain, broadcast } }, await lane.takeLease());
}

const batchesOf = async ({ pool }: Pick<World, 'pool'>) =>
  (await pool.query<{ status: string }>('select status from svc.batches order by nonce')).rows.map(
    ({ status }) => status,
  );

test('a payment of the backup that expired, and was paid again since, gives up its batch', async () => {
  const lane = await world();
  const intentId = await offer(lane);
  const first = await lane.queue({ intentId });
  await storeUnheard(lane);
  const backup = await copyTestDatabase(lane.database);
  lane.chain.ledger.advance(400n);
  await lane.settle();
  expect((await lane.statusOf(first.paymentId)).payment).toBe('failed');
  await lane.queue({ intentId });
  await lane.settle();
  expect(await batchesOf(backup)).toHaveLength(1);
  expect(networkOf(await restore(lane, backup))).toMatchObject({ completedPayments: 1, refused: [], notRebuilt: [] });
  expect(await batchesOf(backup)).toEqual(['replaced', 'mined']);
  expect(await booksOf(backup)).toEqual(once(1));
  expect(networkOf(await restore(lane, backup))).toMatchObject({ completedPayments: 0, refused: [], notRebuilt: [] });
});

test('a batch without a payment stops neither the search for results nor that for expired batches', async () => {
  const lane = await world();
  await lane.queue();
  await lane.queue();
  await laneRound(lane.deps, await lane.takeLease());
  lane.chain.ledger.advance(1n);
  const [one, other] = await lane.deps.store.loadPendingBatches(lane.lane);
  if (one === undefined || other === undefined) throw new Error('no batches');
  const batches = [{ ...one, items: [] }, other];
  expect(await lane.deps.chain.findMined(batches)).toMatchObject([{ batchId: other.id }]);
  expect(await lane.deps.chain.findExpired(batches)).toEqual([]);
});

test('a transaction that landed in a batch that was given up is in the books once', async () => {
  const lane = await world();
  await lane.queue();
  await laneRound(lane.deps, await lane.takeLease());
  await lane.pool.query(`update svc.batches set status = 'replaced'`);
  await lane.pool.query(`update svc.settlements set status = 'queued', relayer = null, batch_id = null`);
  const backup = await copyTestDatabase(lane.database);
  const restored = { restoredTransactions: 1, completedPayments: 1, refused: [] };
  expect(networkOf(await restore(lane, backup))).toMatchObject(restored);
  expect(await batchesOf(backup)).toEqual(['mined']);
  expect(networkOf(await restore(lane, backup))).toMatchObject({ restoredTransactions: 0, completedPayments: 0 });
  expect(await booksOf(backup)).toEqual(once(1));
});

test('a transaction whose bytes no node returns is named, the others come in, and the next run begins at the same slot', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  for (let payments = 0; payments < 2; payments += 1) await lane.queue();
  await lane.settle();
  const mute = await lane.chain.openNode();
  const [newest] = lane.chain.ledger.recordsOf(lane.lane.relayer);
  mute.faults.lie = ({ method, params }, truth) => {
    const isWire = (params?.[1] as { encoding?: string } | undefined)?.encoding === 'base64';
    if (method === 'getSignaturesForAddress') {
      const told = truth as readonly { readonly slot: bigint }[];
      // Before those that the node has: behind its list an invented signature would show that it is not whole.
      return told.flatMap((one, at) => (at === 0 ? [{ ...one, signature: '1'.repeat(88) }, one] : [one]));
    }
    if (method !== 'getTransaction' || !isWire || params?.[0] !== newest!.transactionId) return undefined;
    return { slot: 1n, blockTime: null, transaction: ['AAAA', 'base64'] };
  };
  const report = networkOf(await restore(lane, backup, { nodes: [openNode(mute.rpcUrl)], fromBlock: 1n }));
  expect(report.notRebuilt.map(({ transactionId }) => transactionId)).toContain(newest!.transactionId);
  expect(report).toMatchObject({ completedPayments: 1, readAgainFrom: '1', relayers: [lane.lane.relayer] });
  // Services run meanwhile, and other payments move the newest final block far past it.
  await backup.pool.query(`update svc.batches set status = 'finalized', block_number = 100000`);
  const again = networkOf(await restore(lane, backup, { fromBlock: -1n }));
  expect(again).toMatchObject({ fromBlock: '1', completedPayments: 1, readAgainFrom: null });
  expect(await booksOf(backup)).toEqual(once(2));
});

test('a batch on whose result the nodes do not agree is named, and expires by the height of blocks, not by slots', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  await lane.queue();
  await lane.settle();
  const liar = await lane.chain.openNode();
  const honest = await lane.chain.openNode();
  const skipped = 20n;
  lane.chain.ledger.advance(100n);
  const shifted = ({ method }: { readonly method: string }, truth: unknown) =>
    method === 'getBlockHeight' ? (truth as bigint) - skipped : undefined;
  honest.faults.lie = shifted;
  liar.faults.lie = (call, truth) =>
    call.method === 'getSignatureStatuses'
      ? { context: { slot: 1n }, value: (truth as { value: readonly unknown[] }).value.map(() => null) }
      : shifted(call, truth);
  const nodes = [openNode(honest.rpcUrl), openNode(liar.rpcUrl)];
  const report = networkOf(await restore(lane, backup, { nodes }));
  expect(report).toMatchObject({ restoredTransactions: 1, completedPayments: 0, readAgainFrom: '0' });
  expect(report.notRebuilt).toMatchObject([{ reason: expect.stringContaining('the nodes do not agree') }]);
  const { rows } = await backup.pool.query<{ height: string }>(
    `select transfer ->> 'lastValidBlockHeight' as height from svc.authorizations where transfer is not null`,
  );
  const height = (await nodes[0]!.blockHeight('processed')) + 300n;
  expect(rows.map((row) => BigInt(row.height))).toEqual([height]);
  expect(networkOf(await restore(lane, backup))).toMatchObject({ completedPayments: 1, notRebuilt: [] });
  expect(await booksOf(backup)).toEqual(once(1));
});

test('a relayer that the operator names is read from the slot that they give, and its payments are named without a payout', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  const lostRelayers = [lane.lane.relayer];
  await lane.queue();
  await lane.settle();
  await backup.pool.query('delete from svc.relayers');
  expect(networkOf(await restore(lane, backup))).toMatchObject({ relayers: [], relayersUnknown: true });
  const unknown = { ok: false, code: 'from_block_unknown' };
  expect(await restore(lane, backup, { lostRelayers, fromBlock: -1n })).toMatchObject(unknown);
  await backup.pool.query('delete from svc.payouts where network = $1', [lane.lane.network]);
  const report = networkOf(await restore(lane, backup, { lostRelayers }));
  expect(report).toMatchObject({ relayers: lostRelayers, relayersUnknown: false, readAgainFrom: '0' });
  expect(report.refused).toMatchObject([{ payoutId: null, reason: expect.stringContaining('set the payout again') }]);
  // The next run knows the relayer and the slot by itself, and leaves them noted while the payout is missing.
  const again = networkOf(await restore(lane, backup, { fromBlock: -1n }));
  expect(again).toMatchObject({ relayers: lostRelayers, fromBlock: '0', readAgainFrom: '0' });
  expect(again.refused).toHaveLength(1);
});

test('a payment by a signed text is named only where the database does not have it', async () => {
  const lane = await world();
  lane.chain.ledger.unixSeconds = BigInt(Math.floor(Date.now() / 1_000));
  const before = await copyTestDatabase(lane.database);
  await queueText(lane);
  await lane.settle();
  const after = await copyTestDatabase(lane.database);
  expect(networkOf(await restore(lane, before)).notRebuilt).toHaveLength(1);
  expect(networkOf(await restore(lane, after))).toMatchObject({ transactions: 1, notRebuilt: [], readAgainFrom: null });
});

const notedOf = async ({ pool }: Pick<World, 'pool'>) =>
  (await pool.query('select from_block, relayers from svc.open_restores')).rows;

test('what nobody knows stays unknown until the operator says it', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  await lane.queue();
  await lane.settle();
  for (let runs = 0; runs < 2; runs += 1) {
    expect(await restore(lane, backup, { fromBlock: -1n })).toMatchObject({ ok: false, code: 'from_block_unknown' });
    expect(await notedOf(backup)).toEqual([{ from_block: null, relayers: [] }]);
  }
  expect(networkOf(await restore(lane, backup))).toMatchObject({ completedPayments: 1, readAgainFrom: null });
  expect(await notedOf(backup)).toEqual([]);
});

test('a block or a relayer for which no node answers is not noted, nor one that is not there yet', async () => {
  const lane = await world();
  const backup = await copyTestDatabase(lane.database);
  await lane.queue();
  await lane.settle();
  const nodes = [openNode('http://127.0.0.1:9')];
  await expect(restore(lane, backup, { nodes, lostRelayers: ['mistyped'], fromBlock: 1n })).rejects.toThrow();
  expect(await notedOf(backup)).toEqual([{ from_block: null, relayers: [] }]);
  const ahead = { ok: false, code: 'from_block_ahead' };
  expect(await restore(lane, backup, { fromBlock: 1_000_000_000n })).toMatchObject(ahead);
  expect(await notedOf(backup)).toEqual([{ from_block: null, relayers: [] }]);
});

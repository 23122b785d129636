// Bugs to inject into a lane. With each of them `laneDifferences` must find differences.
import type { BatchToStore, LaneDeps, LaneLease, LaneStore } from '@svc-pay/core';
import type pg from 'pg';

export type SeededBug = (deps: LaneDeps, pool: pg.Pool) => LaneDeps;

/** Stores batches for any epoch. The test must also drop the index that keeps nonces unique. */
export const withoutFence: SeededBug = (deps, pool) => ({ ...deps, store: unfenced(deps.store, pool) });

/** Records mined batches for any epoch. */
export const recordingUnfenced: SeededBug = (deps, pool) => ({
  ...deps,
  store: {
    ...deps.store,
    recordMined: async (lease, found) =>
      deps.store.recordMined({ ...lease, epoch: await latestEpoch(pool, lease) }, found),
  },
});

/** After a take-over, pending batches are forgotten and their payments are signed again. */
export const signingAgain: SeededBug = (deps, pool) => ({
  ...deps,
  store: {
    ...deps.store,
    takeOver: async (lane) => {
      await pool.query("update svc.batches set status = 'replaced' where status in ('signed', 'broadcast')");
      await pool.query(
        "update svc.settlements set status = 'queued', relayer = null, batch_id = null where status = 'batched'",
      );
      return deps.store.takeOver(lane);
    },
  },
});

/** Broadcasts a transaction before it is stored. */
export const broadcastingFirst = (deps: LaneDeps): LaneDeps => ({
  ...deps,
  store: {
    ...deps.store,
    storeBatches: async (lease, stored) => {
      for (const { signed } of stored) await deps.chain.broadcast(signed.raw);
      return deps.store.storeBatches(lease, stored);
    },
  },
});

/** Treats a broadcast transaction as mined. */
export const recordingEarly = (deps: LaneDeps): LaneDeps => ({
  ...deps,
  chain: {
    ...deps.chain,
    findMined: async (batches) =>
      batches.map(({ id, items, transactions }) => ({
        batchId: id,
        transactionId: transactions[0]?.transactionId ?? '',
        blockNumber: 1n,
        blockHash: '0xb1',
        // More confirmations than any intent of these tests requires.
        confirmations: 9n,
        reverted: false,
        gasCostAtomic: 1n,
        feeRecipient: `0x${'fe'.repeat(20)}`,
        items: items.map(({ paymentId, settledAtomic, payout }, index) => ({
          paymentId,
          outcome: 'settled' as const,
          logIndex: index,
          transferLogIndex: index,
          feeAtomic: (settledAtomic * BigInt(payout.feeBps)) / 10_000n,
          escrowedFor: [],
        })),
      })),
  },
});

function unfenced(store: LaneStore, pool: pg.Pool): LaneStore {
  return {
    ...store,
    heartbeat: async (lease) => store.heartbeat({ ...lease, epoch: await latestEpoch(pool, lease) }),
    recordMined: async (lease, found) => store.recordMined({ ...lease, epoch: await latestEpoch(pool, lease) }, found),
    storeBatches: async (lease, batches) => {
      for (const batch of batches) await storeUnfenced(pool, lease, batch);
      return true;
    },
  };
}

async function storeUnfenced(
  pool: pg.Pool,
  { network, relayer, epoch }: LaneLease,
  { id, nonce, signed, items }: BatchToStore,
): Promise<void> {
  await pool.query('update svc.relayers set next_nonce = $3 where network = $1 and address = $2', [
    network,
    relayer,
    String(nonce + 1n),
  ]);
  await pool.query(
    `insert into svc.batches (
           id, network, relayer, mode, nonce, epoch, status, item_count, transaction_id, created_at, updated_at
         ) values ($1, $2, $3, 'test', $4, $5, 'signed', $6, $7, now(), now())`,
    [id, network, relayer, String(nonce), String(epoch), items.length, signed.transactionId],
  );
  await pool.query(
    `insert into svc.batch_transactions (network, transaction_id, batch_id, mode, raw_transaction, created_at)
         values ($1, $2, $3, 'test', $4, now())`,
    [network, signed.transactionId, id, Buffer.from(signed.raw)],
  );
  await pool.query(
    "update svc.settlements set status = 'batched', relayer = $1, batch_id = $2 where payment_id = any ($3)",
    [relayer, id, items.map(({ paymentId }) => paymentId)],
  );
}

async function latestEpoch(pool: pg.Pool, { network, relayer }: { network: string; relayer: string }): Promise<bigint> {
  const { rows } = await pool.query<{ epoch: string }>(
    'select epoch from svc.relayers where network = $1 and address = $2',
    [network, relayer],
  );
  return BigInt(rows[0]?.epoch ?? 0);
}

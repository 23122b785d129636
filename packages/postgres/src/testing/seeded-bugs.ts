// Bugs to put into a lane on purpose. With each of them a checker that is worth its name must find differences.
import type { BatchToStore, HeldLane, LaneParts, LaneStore } from '@svc-pay/core';
import type pg from 'pg';

export type SeededBug = (parts: LaneParts, pool: pg.Pool) => LaneParts;

/** Stores whatever it is given, for whoever comes. The index that holds nonces unique has to go as well. */
export const withoutFence: SeededBug = (parts, pool) => ({ ...parts, store: unfenced(parts.store, pool) });

/** A new holder forgets what flies and lets it be signed anew. */
export const signingAgain: SeededBug = (parts, pool) => ({
  ...parts,
  store: {
    ...parts.store,
    takeOver: async (lane) => {
      await pool.query("update svc.batches set status = 'replaced' where status in ('signed', 'broadcast')");
      await pool.query(
        "update svc.settlements set status = 'queued', relayer = null, batch_id = null where status = 'batched'",
      );
      return parts.store.takeOver(lane);
    },
  },
});

/** Sends a transaction, and stores it when it is sent. */
export const broadcastingFirst = (parts: LaneParts): LaneParts => ({
  ...parts,
  store: {
    ...parts.store,
    storeBatches: async (held, stored) => {
      for (const { signed } of stored) await parts.chain.broadcast(signed.raw);
      return parts.store.storeBatches(held, stored);
    },
  },
});

/** Takes a transaction that was sent for one that was mined. */
export const recordingEarly = (parts: LaneParts): LaneParts => ({
  ...parts,
  chain: {
    ...parts.chain,
    findMined: async (batches) =>
      batches.map(({ id, items, transactions }) => ({
        batchId: id,
        transactionId: transactions[0]?.transactionId ?? '',
        blockNumber: 1n,
        blockHash: '0xb1',
        // As deep as anybody may want it.
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
    beat: async (held) => store.beat({ ...held, epoch: await latestEpoch(pool, held) }),
    recordMined: async (held, found) => store.recordMined({ ...held, epoch: await latestEpoch(pool, held) }, found),
    storeBatches: async (held, batches) => {
      for (const batch of batches) await storeUnfenced(pool, held, batch);
      return true;
    },
  };
}

async function storeUnfenced(
  pool: pg.Pool,
  { network, relayer, epoch }: HeldLane,
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

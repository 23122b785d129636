// Restores one on-chain transaction in one database transaction: its batch and every payment that it settled, or
// nothing. A second run changes nothing.
import { isoTime, type LaneLease, type OnChainTransaction, type RestoredTransaction, raisedNonce } from '@svc-pay/core';
import type pg from 'pg';
import { requireLease, withFence } from '../lane/lane-fence.ts';
import { restoreBatch } from './restore-batch.ts';
import { restorePayment } from './restore-payment.ts';

/** Undefined, with nothing written, when the lane was taken over. */
export async function restoreTransaction(
  pool: pg.Pool,
  lease: LaneLease,
  onChain: OnChainTransaction,
  nowMs: number,
): Promise<RestoredTransaction | undefined> {
  let restored: RestoredTransaction | undefined;
  const kept = await withFence(pool, async (client) => {
    await requireLease(client, lease);
    const { id, was } = await restoreBatch(client, lease, onChain, nowMs);
    const batch = { id, recorded: was === 'recorded' };
    const payments: RestoredTransaction['payments'][number][] = [];
    for (const carried of onChain.settled) {
      payments.push({ ...(await restorePayment(client, { lease, batch, carried, nowMs })), carried });
    }
    await raiseNonce(client, lease, onChain.nonce + 1n, nowMs);
    restored = { batch: was, payments };
  });
  return kept ? restored : undefined;
}

/** Runs in the caller's transaction. Returns the lane's next nonce; undefined when the lane was taken over. */
export async function raiseNonce(
  client: pg.ClientBase,
  { network, relayer, epoch }: LaneLease,
  usedNonces: bigint,
  nowMs: number,
): Promise<bigint | undefined> {
  const { rows } = await client.query<{ next_nonce: string }>(
    'select next_nonce from svc.relayers where network = $1 and address = $2 and epoch = $3 for no key update',
    [network, relayer, epoch.toString()],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const next = raisedNonce(BigInt(row.next_nonce), usedNonces);
  await client.query(
    `update svc.relayers set next_nonce = $4, updated_at = $5
     where network = $1 and address = $2 and epoch = $3 and next_nonce < $4`,
    [network, relayer, epoch.toString(), next.toString(), isoTime(nowMs)],
  );
  return next;
}

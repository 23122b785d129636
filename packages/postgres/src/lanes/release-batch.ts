// A batch whose nonce a finalized block gave to another transaction: none of its own can ever be mined, so what it carried
// waits again.
import { isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';

export type FlyingNonce = { readonly id: string; readonly relayer: string; readonly nonce: bigint };

const LOAD = {
  name: 'load-flying-nonces',
  text: `
    select id, relayer, nonce from svc.batches
    where network = $1 and relayer = any (array(select address from svc.relayers where network = $1))
      and status = 'broadcast'
    order by nonce limit $2`,
};

export async function loadFlyingNonces(pool: pg.Pool, network: string, limit: number): Promise<readonly FlyingNonce[]> {
  const { rows } = await pool.query<{ id: string; relayer: string; nonce: string }>({
    ...LOAD,
    values: [network, limit],
  });
  return rows.map(({ id, relayer, nonce }) => ({ id, relayer, nonce: BigInt(nonce) }));
}

export async function releaseBatch(pool: pg.Pool, batchId: string, nowMs: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const changed = await client.query({
      name: 'release-batch',
      text: "update svc.batches set status = 'replaced', updated_at = $2 where id = $1 and status = 'broadcast'",
      values: [batchId, isoTime(nowMs)],
    });
    if (changed.rowCount !== 1) return false;
    await client.query({
      name: 'release-items',
      text: `
        with settlements as (
          update svc.settlements set status = 'queued', relayer = null, batch_id = null, updated_at = $2
          where batch_id = $1 and status = 'batched'
        )
        update svc.recoveries set status = 'queued', relayer = null, batch_id = null, updated_at = $2
        where batch_id = $1 and status = 'batched'`,
      values: [batchId, isoTime(nowMs)],
    });
    return true;
  });
}

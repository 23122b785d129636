// Life cycle of a relayer key: active, draining, retired, and back. A draining lane finishes its pending batches and
// takes no new payments. It may retire when all its batches are final, replaced or dropped.
import { isoTime, type Mode, type RelayerStatus } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

export type RelayerChange = {
  readonly network: string;
  /** Normalized, as the database stores it. */
  readonly address: string;
  readonly status: RelayerStatus;
};

export type ChangedRelayer =
  | { readonly ok: true; readonly before: RelayerStatus; readonly changed: boolean }
  | { readonly ok: false; readonly code: 'relayer_unknown' | 'relayer_not_draining' }
  | { readonly ok: false; readonly code: 'relayer_has_unfinished'; readonly unfinished: number };

/** Audit records that belong to no single account are written under this one. */
const PLATFORM = 'platform';

export async function changeRelayer(
  { pool, nowMs, actor }: Operation,
  { network, address, status }: RelayerChange,
): Promise<ChangedRelayer> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ mode: Mode; status: RelayerStatus }>(
      'select mode, status from svc.relayers where network = $1 and address = $2 for no key update',
      [network, address],
    );
    const [relayer] = rows;
    if (relayer === undefined) return { ok: false, code: 'relayer_unknown' };
    const before = relayer.status;
    if (before === status) return { ok: true, before, changed: false };
    if (status === 'retired') {
      if (before !== 'draining') return { ok: false, code: 'relayer_not_draining' };
      // After a reorg this key must be able to send a mined batch again.
      const open = await client.query<{ count: number }>(
        `select count(*)::integer as count from svc.batches
         where network = $1 and relayer = $2 and status in ('signed', 'broadcast', 'mined')`,
        [network, address],
      );
      const unfinished = open.rows[0]?.count ?? 0;
      if (unfinished > 0) return { ok: false, code: 'relayer_has_unfinished', unfinished };
    }
    await client.query('update svc.relayers set status = $3, updated_at = $4 where network = $1 and address = $2', [
      network,
      address,
      status,
      isoTime(nowMs),
    ]);
    await writeAudit(client, nowMs, {
      accountId: PLATFORM,
      mode: relayer.mode,
      actor,
      action: `relayer.${status}`,
      target: `${network}/${address}`,
      detail: { before },
    });
    return { ok: true, before, changed: true };
  });
}

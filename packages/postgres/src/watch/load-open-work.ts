// What settlement's watchers have to do, in one statement: a few entries of indexes that hold open rows only.
import {
  BATCH_STATUS,
  isoTime,
  type NetworkWork,
  OPEN_REFUND,
  type OpenWork,
  PAYABLE_INTENT,
  PENDING_BATCH,
  SETTLEMENT_STATUS,
  STRANDED_STATUS,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIs, sqlStatus } from '../database/status-sql.ts';

/** The clock of a chain may be ahead of ours by this much. */
const CHAIN_AHEAD_SECONDS = 120;

/** No authorization is valid for longer. */
const LATEST = '9223372036854775807::bigint';

const PAYABLE = `select from svc.intents where status ${sqlIs(...PAYABLE_INTENT)}`;
const batches = (statuses: string) => `exists (
        select from svc.batches b where b.network = asked.network and b.status ${statuses}
      )`;
const settlements = (status: string) => `exists (
        select from svc.settlements s where s.network = asked.network and s.status ${sqlIs(status)}
      )`;
const REFUNDS = `exists (select from svc.refunds r where r.network = asked.network and r.status ${sqlIs(...OPEN_REFUND)})`;
const STRANDED = `exists (select from svc.stranded_transfers t where t.network = asked.network and t.status <> ${sqlStatus(STRANDED_STATUS.done)})`;

// Where time ends no authorization, a result does: there every open one is looked at. Conditions on statuses and on the network
// repeat those of the indexes.
const LOAD = {
  name: 'load-open-work',
  text: `
    select asked.network,
      exists (${PAYABLE} and expires_at <= $2::timestamptz) as "overdueIntent",
      exists (select from svc.audit where sequence is null) as "unsealedAudit",
      ${settlements(SETTLEMENT_STATUS.queued)} or ${batches(sqlIs(...PENDING_BATCH))} or ${REFUNDS} or ${STRANDED} as lanes,
      ${batches(sqlIs(...PENDING_BATCH, BATCH_STATUS.mined))} as "unfinishedBatch",
      ${settlements(SETTLEMENT_STATUS.held)} or ${STRANDED} as held,
      exists (select from svc.unsettled_authorizations u where u.network = asked.network) or exists (
        select from svc.authorizations a
        where a.network = asked.network and a.closed_at is null and a.valid_before <= case
          when asked.network like 'eip155:%' then extract(epoch from $2::timestamptz)::bigint + ${CHAIN_AHEAD_SECONDS}
          else ${LATEST}
        end
      ) as authorizations,
      exists (select from svc.authorizations a where a.network = asked.network and a.closed_at is null and a.direct)
        or exists (select from svc.refused_authorizations r where r.network = asked.network and r.closed_at is null) as direct,
      ${REFUNDS} as refunds,
      exists (
        select from svc.batches b
        where b.network = asked.network and b.network like 'eip155:%' and b.status ${sqlIs(BATCH_STATUS.finalized)}
          and not b.compared
      ) as "uncomparedBatch"
    from unnest($1::text[]) as asked (network)`,
};

type Row = NetworkWork & Omit<OpenWork, 'networks'> & { readonly network: NetworkId };

export async function loadOpenWork(pool: pg.Pool, networks: readonly NetworkId[], nowMs: number): Promise<OpenWork> {
  const { rows } = await pool.query<Row>({ ...LOAD, values: [networks, isoTime(nowMs)] });
  const some = (named: (row: Row) => boolean) => rows.length === 0 || rows.some(named);
  return {
    overdueIntent: some((row) => row.overdueIntent),
    unsealedAudit: some((row) => row.unsealedAudit),
    networks: new Map(rows.map((row) => [row.network, row])),
  };
}

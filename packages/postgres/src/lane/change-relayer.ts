// Changes the status of a relayer key. The row is locked before its open work is counted: a lane that stores a batch
// updates the same row.
import {
  decideRelayerChange,
  isoTime,
  type Mode,
  REFUND_STATUS,
  type RelayerDecision,
  type RelayerStatus,
  SETTLEMENT_STATUS,
  UNFINISHED_BATCH,
} from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs } from '../database/status-sql.ts';
import { QUEUED_REFUND } from './refund-items.ts';

export type RelayerChange = {
  readonly network: string;
  /** Normalized, as the database stores it. */
  readonly address: string;
  readonly status: RelayerStatus;
};

/** Longer than a blockhash lives. */
const TRANSACTION_LIFE = "interval '2 minutes'";
/** A text is valid for five minutes. */
const TEXT_LIFE = "interval '6 minutes'";
/** A refund is not submitted after its end, by the clock of the API, whose transaction may take its time. */
const SUBMISSION_LIFE = "interval '1 minute'";
const COUNT_OPEN = `
  select (
      select count(*)::integer from svc.batches
      where network = $1 and relayer = $2 and status ${sqlIs(...UNFINISHED_BATCH)}
    ) as batches, (
      select count(*)::integer from svc.settlements
      where network = $1 and status ${sqlIs(SETTLEMENT_STATUS.queued)} and bound_relayer = $2
    ) + (
      select count(*)::integer from svc.refunds where network = $1 and ${QUEUED_REFUND} and bound_relayer = $2
    ) as payments, (
      select count(*)::integer from svc.prepared_transfers
      where network = $1 and relayer = $2 and created_at > $3::timestamptz - ${TEXT_LIFE}
        and (transfer ? 'program' or created_at > $3::timestamptz - ${TRANSACTION_LIFE})
    ) + (
      select count(*)::integer from svc.refunds
      where network = $1 and status ${sqlIs(REFUND_STATUS.prepared)} and bound_relayer = $2
        and expires_at > $3::timestamptz - ${SUBMISSION_LIFE}
    ) as signable`;
type Open = { readonly batches: number; readonly payments: number; readonly signable: number };

export async function changeRelayer(
  { pool, nowMs, actor }: Operation,
  { network, address, status }: RelayerChange,
): Promise<RelayerDecision> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ mode: Mode; status: RelayerStatus }>(
      'select mode, status from svc.relayers where network = $1 and address = $2 for no key update',
      [network, address],
    );
    const [relayer] = rows;
    const open = await client.query<Open>(COUNT_OPEN, [network, address, isoTime(nowMs)]);
    const { batches = 0, payments = 0, signable = 0 } = open.rows[0] ?? {};
    const counts = { unfinishedBatches: batches, boundPayments: payments, signable };
    const facts = { before: relayer?.status, wanted: status, ...counts };
    const decision = decideRelayerChange(facts);
    if (relayer === undefined || !decision.ok || !decision.changed) return decision;
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
      detail: { before: decision.before },
    });
    return decision;
  });
}

// The references that settlement reads.
import { type DueReference, isoTime, type ReadReference, type ReferenceStore } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlNotMoved } from '../database/not-moved.ts';
import { applyMovement } from './apply-movement.ts';

// A reading that ended after the account moved recorded nothing: the cell that has the account reads on from the cursor before it, also
// when that is copied once more.
const OF_THIS_CELL = sqlNotMoved('svc.payment_references.account_id');

type Row = Pick<
  DueReference,
  'accountId' | 'mode' | 'intentId' | 'network' | 'reference' | 'feeRecipient' | 'cursor'
> & {
  readonly intent_code: string;
  readonly expires_at: Date;
  readonly opened_at: Date;
  readonly waits_since: Date | null;
};

export function createReferenceStore(pool: pg.Pool): ReferenceStore {
  return {
    loadDue: (network, nowMs, limit) => loadDue(pool, network, nowMs, limit),
    apply: (reference, movement, nowMs) =>
      inTransaction(pool, (client) => applyMovement(client, reference, movement, nowMs)),
    noteRead: (reference, read) => noteRead(pool, reference, read),
  };
}

async function loadDue(
  pool: pg.Pool,
  network: NetworkId,
  nowMs: number,
  limit: number,
): Promise<readonly DueReference[]> {
  const { rows } = await pool.query<Row>({
    name: 'load-due-references',
    text: `
      select account_id as "accountId", mode, intent_id as "intentId", intent_code, network, reference,
        fee_recipient as "feeRecipient", cursor, expires_at, opened_at, waits_since
      from svc.payment_references
      where network = $1 and next_read_at <= $2 and ${OF_THIS_CELL}
      order by next_read_at limit $3`,
    values: [network, isoTime(nowMs), limit],
  });
  return rows.map(({ intent_code, expires_at, opened_at, waits_since, ...row }) => ({
    ...row,
    intentCode: BigInt(intent_code),
    expiresAtMs: expires_at.getTime(),
    openedAtMs: opened_at.getTime(),
    waitsSinceMs: waits_since?.getTime() ?? null,
  }));
}

/** A wallet that has asked since has it read again at once: neither the time nor the end of a reading that began before counts. */
async function noteRead(
  pool: pg.Pool,
  { network, reference, openedAtMs }: DueReference,
  { cursor, waitsSinceMs, wholeSinceMs, nextReadAtMs }: ReadReference,
): Promise<void> {
  const values = [network, reference, isoTime(openedAtMs)];
  if (nextReadAtMs === null) {
    await pool.query({
      name: 'close-reference',
      text: `delete from svc.payment_references
        where network = $1 and reference = $2 and opened_at = $3 and ${OF_THIS_CELL}`,
      values,
    });
    return;
  }
  await pool.query({
    name: 'note-reference-read',
    text: `
      update svc.payment_references
      set cursor = $4, waits_since = $5, next_read_at = case when opened_at = $3 then $6 else next_read_at end,
        read_at = greatest(read_at, $7::timestamptz)
      where network = $1 and reference = $2 and ${OF_THIS_CELL}`,
    values: [...values, cursor, timeOrNull(waitsSinceMs), isoTime(nextReadAtMs), timeOrNull(wholeSinceMs)],
  });
}

const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

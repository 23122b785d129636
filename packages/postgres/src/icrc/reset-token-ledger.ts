// Forgets how far a token ledger was read, because it was installed anew. Settlement then opens its cursor again.
import {
  isoTime,
  isSameHash,
  type LedgerContinuation,
  type LedgerCursor,
  type Mode,
  type ResetRefusal,
  refuseLedgerReset,
} from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { loadTokenLedger } from './report-token-ledgers.ts';

export type ResetLedger = {
  readonly mode: Mode;
  /** As the operator saw it, and as the ledger was asked about it. */
  readonly cursor: LedgerCursor;
  readonly told: LedgerContinuation;
  readonly reason: string;
};

export type ResetOutcome =
  | { readonly ok: true; readonly countedBlocks: number; readonly highestCounted: bigint | null }
  /** Settlement has read on since, or somebody has reset it. */
  | { readonly ok: false; readonly code: 'cursor_moved' }
  | ({ readonly ok: false } & ResetRefusal);

/**
 * The cursor's row is locked before transfers are counted: settlement keeps what it reads in the transaction that updates the
 * row. A reader that has loaded the cursor does not find it again, and writes nothing.
 */
export async function resetTokenLedger(
  { pool, nowMs, actor }: Operation,
  { mode, cursor, told, reason }: ResetLedger,
): Promise<ResetOutcome> {
  const { network, ledger } = cursor;
  return inTransaction(pool, async (client) => {
    await client.query('select from svc.icrc_cursors where network = $1 and ledger = $2 for update', [network, ledger]);
    const stored = await loadTokenLedger(client, network, ledger);
    if (stored === undefined || !isSameCursor(stored, cursor)) return { ok: false, code: 'cursor_moved' };
    const counted = await findCountedBlocks(client, network, ledger);
    const refusal = refuseLedgerReset({ ...told, waiting: stored.waiting, highestCounted: counted.highest });
    if (refusal !== undefined) return { ok: false, ...refusal };
    await client.query('delete from svc.icrc_cursors where network = $1 and ledger = $2', [network, ledger]);
    await writeAudit(client, nowMs, {
      accountId: PLATFORM,
      mode,
      actor,
      action: 'token_ledger.reset',
      target: `${network}/${ledger}`,
      detail: {
        reason,
        nextIndex: stored.nextIndex.toString(),
        lastHash: stored.lastHash === null ? null : Buffer.from(stored.lastHash).toString('hex'),
        stoppedAt: stored.stoppedAtMs === null ? null : isoTime(stored.stoppedAtMs),
        countedBlocks: counted.count,
      },
    });
    return { ok: true, countedBlocks: counted.count, highestCounted: counted.highest };
  });
}

function isSameCursor(one: Pick<LedgerCursor, 'nextIndex' | 'lastHash'>, other: LedgerCursor): boolean {
  if (one.nextIndex !== other.nextIndex) return false;
  return one.lastHash === null ? other.lastHash === null : isSameHash(one.lastHash, other.lastHash);
}

type Counted = { readonly count: number; readonly highest: bigint | null };

/** The names of a ledger's blocks begin with its id and a colon, and `;` is the next character. */
async function findCountedBlocks(client: pg.ClientBase, network: string, ledger: string): Promise<Counted> {
  const { rows } = await client.query<{ count: number; highest: string | null }>(
    `select count(distinct transaction_id)::integer as count,
       max(substring(transaction_id from '[0-9]+$')::numeric)::text as highest
     from svc.log_proofs where network = $1 and transaction_id > $2 and transaction_id < $3`,
    [network, `${ledger}:`, `${ledger};`],
  );
  const { count = 0, highest = null } = rows[0] ?? {};
  return { count, highest: highest === null ? null : BigInt(highest) };
}

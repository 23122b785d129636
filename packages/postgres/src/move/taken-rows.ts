// Rows of an account that moves whose key another account of the other cell has. Each cell claims an authorization for itself, so
// a payer may have used one in both; the chain executes it once. Which of the two rows stays is decided by what the payments say.
import { BATCH_STATUS, OPEN_INTENT, PAYMENT_STATUS, STRANDED_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';
import { givenRows, jsonOf, type TableColumns, type TakenRows } from './copy-rows.ts';
import { MOVED_TABLES } from './moved-tables.ts';

export type TakenRefusal = 'authorization_paid_twice' | 'authorization_open_there' | 'log_proven_twice';

export type DecidedTaken =
  | {
      readonly ok: true;
      /** Not written: they stay in the cell that the account leaves. */
      readonly staying: TakenRows;
      /** How many rows of others were replaced. */
      readonly replaced: number;
    }
  | { readonly ok: false; readonly code: TakenRefusal };

/** Of the account and mode of `row`, the payment that it names took money. */
const tookMoney = (row: string) => `exists (
      select from svc.payments paid
      where paid.account_id = ${row}.account_id and paid.mode = ${row}.mode and paid.id = ${row}.payment_id
        and paid.status ${sqlIs(PAYMENT_STATUS.completed, PAYMENT_STATUS.refunded, PAYMENT_STATUS.mismatched)}
    )`;

/** Somebody may still write about the claim `there`: its payment, its authorization or its stranded transfer has not ended. */
const IS_OPEN = `(exists (
      select from svc.payments waits
      where waits.account_id = there.account_id and waits.mode = there.mode and waits.id = there.payment_id
        and waits.status ${sqlIs(PAYMENT_STATUS.pending)}
    ) or exists (
      select from svc.settlements sent join svc.batches carrier on carrier.id = sent.batch_id
      where sent.account_id = there.account_id and sent.mode = there.mode and sent.payment_id = there.payment_id
        and carrier.status ${sqlIs(BATCH_STATUS.signed, BATCH_STATUS.broadcast, BATCH_STATUS.mined)}
    ) or exists (
      select from svc.authorizations signed
      where signed.account_id = there.account_id and signed.mode = there.mode and signed.intent_id = there.intent_id
        and signed.claim_key = there.claim_key and signed.closed_at is null
    ) or exists (
      select from svc.stranded_transfers stranded
      where stranded.account_id = there.account_id and stranded.mode = there.mode and stranded.claim_key = there.claim_key
        and stranded.status ${sqlIsNot(STRANDED_STATUS.done)}
    ) or there.payment_id is null and exists (
      select from svc.intents intent
      where intent.account_id = there.account_id and intent.mode = there.mode and intent.id = there.intent_id
        and intent.status ${sqlIs(...OPEN_INTENT)}
    ))`;

/**
 * Elsewhere a transaction has one claim and one proof, and may have paid merchants of both cells: both payments are true. The books
 * know it by the number of rows that stayed behind, in the audit entry of the arrival.
 */
const HAS_LOGS = `given.network like 'eip155:%'`;

type Judged = { readonly line: string; readonly verdict: 'stays' | 'replaces' | TakenRefusal };

const JUDGE: Readonly<Record<string, string>> = {
  // A row says that the authorization is spent, whosever it is. A payment that took money has its own: the books compare both.
  claims: `
    select page.doc::text as line, case
        when not ${tookMoney('given')} then 'stays'
        when ${tookMoney('there')} then case when ${HAS_LOGS} then 'authorization_paid_twice' else 'stays' end
        when ${IS_OPEN} then 'authorization_open_there'
        else 'replaces'
      end as verdict
    from ${givenRows('claims')} join svc.claims there on there.claim_key = given.claim_key`,
  // Leases end by themselves, and what is spent is told by claims alone.
  x402_leases: `select page.doc::text as line, 'stays' as verdict from ${givenRows('x402_leases')}`,
  // A receipt of money that pays nothing there gives way to the payment of which the log is.
  log_proofs: `
    select page.doc::text as line, case
        when there.payment_id is null then 'replaces'
        when ${HAS_LOGS} or given.refund_id is not null then 'log_proven_twice'
        else 'stays'
      end as verdict
    from ${givenRows('log_proofs')} join svc.log_proofs there
      on there.network = given.network and there.transaction_id = given.transaction_id and there.log_index = given.log_index`,
};

/**
 * After every table is copied. An account that has left arrives, whatever the other cell has booked meanwhile: of what can't be
 * true of both its own row stays behind, and a check of the books tells. It waits only for what ends by itself.
 */
export async function decideTaken(
  arrival: pg.ClientBase,
  taken: TakenRows,
  { columns, left }: { readonly columns: TableColumns; readonly left: boolean },
): Promise<DecidedTaken> {
  const staying = new Map<string, readonly string[]>();
  let replaced = 0;
  for (const [table, lines] of taken) {
    const judge = JUDGE[table];
    if (judge === undefined) throw new Error(`nobody decides about rows of ${table} that are taken`);
    const { rows } = await arrival.query<Judged>(judge, [jsonOf(lines)]);
    const waits = rows.find(({ verdict }) => verdict === 'authorization_open_there');
    const refused = waits ?? (left ? undefined : rows.find(({ verdict }) => isRefusal(verdict)));
    if (refused !== undefined) return { ok: false, code: refused.verdict as TakenRefusal };
    const own = rows.filter(({ verdict }) => verdict === 'replaces').map(({ line }) => line);
    const others = rows.filter(({ verdict }) => verdict !== 'replaces').map(({ line }) => line);
    if (own.length > 0) await replace(arrival, table, columns.get(table) ?? [], own);
    if (others.length > 0) staying.set(table, others);
    replaced += own.length;
  }
  return { ok: true, staying, replaced };
}

const isRefusal = (verdict: Judged['verdict']): boolean => verdict !== 'stays' && verdict !== 'replaces';

async function replace(
  arrival: pg.ClientBase,
  table: string,
  columns: readonly string[],
  lines: readonly string[],
): Promise<void> {
  const keys = MOVED_TABLES.find((moved) => moved.table === table)?.key ?? [];
  const { rowCount } = await arrival.query(
    `update svc.${table} there set ${columns
      .filter((column) => !keys.includes(column))
      .map((column) => `${column} = given.${column}`)
      .join(', ')}
     from ${givenRows(table)} where ${keys.map((column) => `there.${column} = given.${column}`).join(' and ')}`,
    [jsonOf(lines)],
  );
  if (rowCount !== lines.length) throw new Error(`${lines.length} rows of ${table} replace ${rowCount}`);
}

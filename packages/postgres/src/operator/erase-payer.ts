// Forgets a payer where forgetting breaks nothing. What moved money stays: it is bookkeeping, and public on its chain.
// What is still open stays until it is over: without its payer it could be paid by somebody else, or twice.
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { findPayerRows, type PayerTable } from './find-payer-rows.ts';
import type { Operation } from './operation.ts';
import { type PayerMatch, payerMatch } from './payer-match.ts';
import { recordPrivacyDeed } from './record-privacy-deed.ts';

/** Stands where a payer was and the column wants a text. No chain has such an address. */
const ERASED = 'erased';

type Tenant = { readonly account_id: string; readonly mode: string };

const ERASURES = {
  intents: ({ is }) => `
    update svc.intents set version = version + 1,
      expected_sender = case when ${is('expected_sender')} then null else expected_sender end,
      payer_public_key = case when ${is('payer_public_key')} then null else payer_public_key end
    where (${is('expected_sender')} or ${is('payer_public_key')})
      and status in ('completed', 'failed', 'canceled', 'mismatched')
    returning account_id, mode`,
  // Claims first: which of them are over is read from the authorizations. A claim whose authorization is past its
  // retention is over too.
  claims: ({ is }) => `
    update svc.claims claim set payer = '${ERASED}'
    where ${is('claim.payer')} and not exists (
      select from svc.authorizations held
      where held.account_id = claim.account_id and held.mode = claim.mode and held.intent_id = claim.intent_id
        and held.claim_key = claim.claim_key and held.closed_at is null
    ) and not exists (
      select from svc.intents intent
      where intent.account_id = claim.account_id and intent.mode = claim.mode and intent.id = claim.intent_id
        and intent.status in ('requires_payment', 'processing')
    )
    returning account_id, mode`,
  authorizations: ({ is }) => `
    update svc.authorizations set payer = '${ERASED}', signature = ''
    where ${is('payer')} and closed_at is not null
    returning account_id, mode`,
  attempts: ({ is, isIn }) => `
    update svc.attempts set payer = null, detail = case when ${isIn("coalesce(detail, '')")} then null else detail end
    where ${is('payer')} or ${isIn("coalesce(detail, '')")}
    returning account_id, mode`,
  payments: ({ is }) => `
    update svc.payments set payer = null
    where ${is('payer')} and status in ('failed', 'canceled')
    returning account_id, mode`,
} as const satisfies Partial<Record<PayerTable, (match: PayerMatch) => string>>;

type ErasedTable = keyof typeof ERASURES;

export type ErasedPayer = {
  readonly erased: Readonly<Record<ErasedTable, number>>;
  /** Rows that still name the payer, by table. */
  readonly kept: Readonly<Record<PayerTable, number>>;
};

/** Safe to repeat: what was open the first time may be over the next. */
export async function erasePayer(operation: Operation, given: string, reference: string): Promise<ErasedPayer> {
  const match = payerMatch(given);
  return inTransaction(operation.pool, async (client) => {
    const touched: Tenant[] = [];
    const erased: [ErasedTable, number][] = [];
    for (const table of Object.keys(ERASURES) as ErasedTable[]) {
      const { rows } = await client.query<Tenant>(ERASURES[table](match), [match.payer]);
      touched.push(...rows);
      erased.push([table, rows.length]);
    }
    await recordPrivacyDeed(client, operation, 'privacy.erased', reference, touched);
    return { erased: Object.fromEntries(erased) as ErasedPayer['erased'], kept: await countKept(client, given) };
  });
}

async function countKept(client: pg.ClientBase, payer: string): Promise<ErasedPayer['kept']> {
  const rows = Object.entries(await findPayerRows(client, payer));
  return Object.fromEntries(rows.map(([table, list]) => [table, list.length])) as ErasedPayer['kept'];
}

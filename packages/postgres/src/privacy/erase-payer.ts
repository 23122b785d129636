// Erases a payer from rows where that breaks nothing. Rows of completed payments stay: they are bookkeeping, and public
// on chain. Rows of open payments stay until they are closed: without the payer somebody else could pay, or pay twice.
import {
  BATCH_STATUS,
  ENDED_SETTLEMENT,
  OPEN_INTENT,
  PAYMENT_STATUS,
  REFUND_STATUS,
  STRANDED_STATUS,
} from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { allowMoved } from '../database/not-moved.ts';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';
import { findPayerRows, type PayerTable } from './find-payer-rows.ts';
import { type PayerMatch, payerMatch } from './payer-match.ts';
import { recordPrivacyAction } from './record-privacy-action.ts';

/** Replaces the payer in columns that are not null. No chain has such an address. */
const ERASED = 'erased';

/**
 * SQL: does the claim have a stranded transfer that is not finally settled or returned? Its transaction is built from
 * payer and signature, and after a reorg it may be sent again until its block is final.
 */
const hasUnresolvedStranded = (table: string) => `exists (
      select from svc.stranded_transfers stranded left join svc.batches batch on batch.id = stranded.batch_id
      where stranded.account_id = ${table}.account_id and stranded.mode = ${table}.mode
        and stranded.claim_key = ${table}.claim_key
        and (stranded.status ${sqlIsNot(STRANDED_STATUS.done)} or batch.status ${sqlIsNot(BATCH_STATUS.finalized)})
    )`;

type Tenant = { readonly account_id: string; readonly mode: string };

const ERASURES = {
  intents: ({ is }) => `
    update svc.intents set version = version + 1,
      expected_sender = case when ${is('expected_sender')} then null else expected_sender end,
      payer_public_key = case when ${is('payer_public_key')} then null else payer_public_key end
    where (${is('expected_sender')} or ${is('payer_public_key')})
      and status ${sqlIsNot(...OPEN_INTENT)}
    returning account_id, mode`,
  // Nothing credits an intent that left, whoever pays.
  late_terms: ({ is }) => `
    update svc.late_terms late set expected_sender = null
    from svc.intent_codes code
    where code.intent_code = late.intent_code and ${is('late.expected_sender')}
    returning code.account_id, code.mode`,
  // Claims come before authorizations, whose rows tell which claims are closed. A claim whose authorization was deleted
  // after its retention is closed too.
  claims: ({ is }) => `
    update svc.claims claim set payer = '${ERASED}'
    where ${is('claim.payer')} and not exists (
      select from svc.authorizations held
      where held.account_id = claim.account_id and held.mode = claim.mode and held.intent_id = claim.intent_id
        and held.claim_key = claim.claim_key and held.closed_at is null
    ) and not exists (
      select from svc.intents intent
      where intent.account_id = claim.account_id and intent.mode = claim.mode and intent.id = claim.intent_id
        and intent.status ${sqlIs(...OPEN_INTENT)}
    ) and not ${hasUnresolvedStranded('claim')}
    returning account_id, mode`,
  authorizations: ({ is }) => `
    update svc.authorizations authorized set payer = '${ERASED}', signature = ''
    where ${is('authorized.payer')} and authorized.closed_at is not null and not ${hasUnresolvedStranded('authorized')}
    returning account_id, mode`,
  // An open one may still move money, and is recognised by its payer then.
  refused_authorizations: ({ is }) => `
    update svc.refused_authorizations set payer = '${ERASED}'
    where ${is('payer')} and closed_at is not null
    returning account_id, mode`,
  // A lease that has not ended counts against what the payer can pay.
  x402_leases: ({ is }) => `
    update svc.x402_leases set payer = '${ERASED}'
    where ${is('payer')} and valid_before < extract(epoch from now())
    returning account_id, mode`,
  attempts: ({ is, isIn }) => `
    update svc.attempts set payer = null, detail = case when ${isIn("coalesce(detail, '')")} then null else detail end
    where ${is('payer')} or ${isIn("coalesce(detail, '')")}
    returning account_id, mode`,
  payments: ({ is }) => `
    update svc.payments set payer = null
    where ${is('payer')} and status ${sqlIs(PAYMENT_STATUS.failed, PAYMENT_STATUS.canceled)}
    returning account_id, mode`,
  // Refunds that moved money are bookkeeping, and open ones may still move it. The wallet is the merchant's.
  refunds: ({ is }) => `
    update svc.refunds set recipient = '${ERASED}', signature = case when signature is not null then ''::bytea end,
      transfer = jsonb_set(transfer, '{destinationAccount}', '"${ERASED}"')
    where ${is('recipient')} and status ${sqlIs(REFUND_STATUS.failed, REFUND_STATUS.canceled)}
    returning account_id, mode`,
  settlements: ({ is }) => `
    update svc.settlements set solo_payer = null
    where ${is('solo_payer')} and status ${sqlIs(...ENDED_SETTLEMENT)}
    returning account_id, mode`,
  // The loss and its payment stay in the ledger; no sum depends on the payer.
  gas_losses: ({ is }) => `
    update svc.gas_losses loss set payer = '${ERASED}'
    where ${is('loss.payer')} and not exists (
      select from svc.payments payment
      where payment.account_id = loss.account_id and payment.mode = loss.mode and payment.id = loss.payment_id
        and payment.status ${sqlIs(PAYMENT_STATUS.pending)}
    )
    returning account_id, mode`,
} as const satisfies Partial<Record<PayerTable, (match: PayerMatch) => string>>;

type ErasedTable = keyof typeof ERASURES;

export type ErasedPayer = {
  readonly erased: Readonly<Record<ErasedTable, number>>;
  /** Rows that still name the payer, by table. */
  readonly kept: Readonly<Record<PayerTable, number>>;
  /** Closed authorizations among them that wait until their stranded transfer is settled or returned. */
  readonly waitForRecovery: number;
};

/** May be repeated: rows that were open the first time may be closed the next. */
export async function erasePayer(operation: Operation, given: string, reference: string): Promise<ErasedPayer> {
  const match = payerMatch(given);
  return inTransaction(operation.pool, async (client) => {
    await allowMoved(client);
    const touched: Tenant[] = [];
    const erased: [ErasedTable, number][] = [];
    for (const table of Object.keys(ERASURES) as ErasedTable[]) {
      const { rows } = await client.query<Tenant>(ERASURES[table](match), [match.payer]);
      touched.push(...rows);
      erased.push([table, rows.length]);
    }
    // No amount depends on these rows, and they belong to no account.
    await client.query(`delete from svc.proven_wallets where ${match.is('payer')}`, [match.payer]);
    await client.query(`delete from svc.gas_budget_uses where scope = 'payer' and ${match.is('key')}`, [match.payer]);
    await recordPrivacyAction(client, operation, 'privacy.erased', reference, touched);
    return {
      erased: Object.fromEntries(erased) as ErasedPayer['erased'],
      kept: await countKept(client, given),
      waitForRecovery: await countUnresolvedStranded(client, match),
    };
  });
}

async function countUnresolvedStranded(client: pg.ClientBase, { is, payer }: PayerMatch): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from svc.authorizations authorized
     where ${is('authorized.payer')} and authorized.closed_at is not null
       and ${hasUnresolvedStranded('authorized')}`,
    [payer],
  );
  return rows[0]?.count ?? 0;
}

async function countKept(client: pg.ClientBase, payer: string): Promise<ErasedPayer['kept']> {
  const rows = Object.entries(await findPayerRows(client, payer));
  return Object.fromEntries(rows.map(([table, list]) => [table, list.length])) as ErasedPayer['kept'];
}

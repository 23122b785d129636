// Finds every row that names a payer, over all accounts, for a payer who asks for their data. Each table is scanned: an
// index by payer would slow down every payment for a request that comes once a year.
import type pg from 'pg';
import { type PayerMatch, payerMatch } from './payer-match.ts';

type Source = {
  /** Where the rows are, with account, mode and `created_at`; the table itself if absent. */
  readonly from?: string;
  readonly columns: string;
  readonly where: (match: PayerMatch) => string;
};

const SOURCES = {
  intents: {
    columns: `id, status, amount::text, token_shortcode, network, description, resource, expected_sender,
      payer_public_key, metadata::jsonb as metadata, created_at`,
    where: ({ is, isIn }) =>
      `${is('expected_sender')} or ${is('payer_public_key')} or ${isIn('metadata')} or ${isIn("coalesce(description, '')")}
       or ${isIn("coalesce(resource, '')")}`,
  },
  // Account and mode are those of the intent code.
  late_terms: {
    from: `(
      select code.account_id, code.mode, code.intent_id, late.expected_sender, late.expires_at as created_at
      from svc.late_terms late join svc.intent_codes code on code.intent_code = late.intent_code
    ) late_terms`,
    columns: 'intent_id, expected_sender, created_at as expires_at',
    where: ({ is }) => is('expected_sender'),
  },
  authorizations: {
    columns: `intent_id, kind, network, asset, payer, recipient, cap::text, valid_after, valid_before,
      encode(nonce, 'hex') as nonce, encode(signature, 'hex') as signature, closed_at, created_at`,
    where: ({ is }) => is('payer'),
  },
  claims: {
    columns: `intent_id, payment_id, network, asset, payer, encode(nonce, 'hex') as nonce, created_at`,
    where: ({ is }) => is('payer'),
  },
  refused_authorizations: {
    columns: `intent_id, network, asset, payer, recipient, amount::text, valid_before, encode(nonce, 'hex') as nonce, code,
      closed_at, created_at`,
    where: ({ is }) => is('payer'),
  },
  x402_leases: {
    from: '(select *, call_at as created_at from svc.x402_leases) x402_leases',
    columns: 'intent_id, network, asset, payer, recipient, amount::text, valid_before, created_at',
    where: ({ is }) => is('payer'),
  },
  attempts: {
    columns: 'id, intent_id, code, detail, payer, created_at',
    where: ({ is, isIn }) => `${is('payer')} or ${isIn("coalesce(detail, '')")}`,
  },
  prepared_transfers: {
    columns: 'intent_id, payer, network, blockhash, relayer, created_at',
    where: ({ is }) => is('payer'),
  },
  payments: {
    columns: `id, intent_id, status, network, asset, payer, amount::text, paid_amount::text, refund_amount::text,
      transaction_id, created_at, completed_at`,
    where: ({ is }) => is('payer'),
  },
  ledger_entries: {
    columns: 'id, payment_id, network, asset, account_name, party, amount::text, transaction_id, log_index, created_at',
    where: ({ is }) => is('party'),
  },
  refunds: {
    columns: `id, payment_id, status, network, asset, amount::text, recipient, encode(nonce, 'hex') as nonce, reason,
      transaction_id, created_at`,
    where: ({ is, isIn }) => `${is('recipient')} or ${isIn("coalesce(reason, '')")}`,
  },
  // Settlements name the payer only if the payment is or was in the solo queue.
  settlements: {
    columns: 'payment_id, status, network, solo_payer, created_at',
    where: ({ is }) => is('solo_payer'),
  },
  gas_losses: {
    columns: 'id, payment_id, network, payer, cause, amount::text, transaction_id, created_at',
    where: ({ is }) => is('payer'),
  },
  events: {
    columns: "id, type, intent_id, payment_id, convert_from(body, 'UTF8')::jsonb as body, created_at",
    where: ({ isIn }) => isIn("convert_from(body, 'UTF8')"),
  },
  idempotency: {
    columns: 'key, response_status, created_at',
    where: ({ isIn }) => isIn("coalesce(convert_from(response_body, 'UTF8'), '')"),
  },
} as const satisfies Record<string, Source>;

export type PayerTable = keyof typeof SOURCES;
export const PAYER_TABLES = Object.keys(SOURCES) as readonly PayerTable[];

/** A row as JSON, with its account and mode. */
export type PayerRow = { readonly account_id: string; readonly mode: string } & Readonly<Record<string, unknown>>;
export type PayerRows = Readonly<Record<PayerTable, readonly PayerRow[]>>;

export async function findPayerRows(client: pg.ClientBase | pg.Pool, given: string): Promise<PayerRows> {
  const match = payerMatch(given);
  const found: [PayerTable, readonly PayerRow[]][] = [];
  for (const table of PAYER_TABLES) {
    const source: Source = SOURCES[table];
    const { rows } = await client.query<{ row: PayerRow }>(
      `select to_jsonb(named) as row from (
         select account_id, mode, ${source.columns} from ${source.from ?? `svc.${table}`} where ${source.where(match)}
         order by account_id, mode, created_at
       ) as named`,
      [match.payer],
    );
    found.push([table, rows.map(({ row }) => row)]);
  }
  return Object.fromEntries(found) as PayerRows;
}

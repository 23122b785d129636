// One valid sample row per table. A test gives only the values that matter to it.
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { idAt } from './id-at.ts';

export type Row = Readonly<Record<string, unknown>>;

export const NOW = new Date('2026-11-15T12:00:00.000Z');
const PAYER = '0x1111111111111111111111111111111111111111';
const PROCESSOR = '0x2222222222222222222222222222222222222222';
const TOKEN = '0x3333333333333333333333333333333333333333';
const RELAYER = '0x4444444444444444444444444444444444444444';

const tenant = { account_id: 'acct_a', mode: 'test' };
const money = { network: 'eip155:84532', asset: TOKEN };
const now = NOW.getTime();

export const SAMPLES = {
  operators: { id: 'op_a', name: 'Ada', email: 'ada@example.com', created_at: NOW },
  audit_exports: {
    number: 1,
    created_at: NOW,
    heads: '[]',
    previous_hash: Buffer.alloc(32),
    hash: Buffer.alloc(32, 1),
    signature: Buffer.alloc(64, 2),
    signed_by: Buffer.alloc(32, 3),
  },
  accounts: { id: 'acct_a', name: 'A shop', status: 'active', api_version: '2026-11-15', created_at: NOW },
  account_modes: tenant,
  api_keys: {
    ...tenant,
    id: 'key_a',
    kind: 'secret',
    lookup: randomBytes(32),
    ciphertext: randomBytes(60),
    hint: 'wxyz',
    created_at: NOW,
  },
  account_tokens: { ...tenant, shortcode: 'basesepolia_usdc', enabled_at: NOW },
  payouts: {
    ...tenant,
    network: money.network,
    payout_id: 1,
    processor: PROCESSOR,
    merchant: PAYER,
    fee_bps: 100,
    status: 'active',
    created_at: NOW,
  },
  intents: {
    ...tenant,
    id: idAt('pi', now),
    intent_code: 7,
    status: 'requires_payment',
    x402_upto: false,
    amount: '1000000',
    ledger_id: TOKEN,
    network: money.network,
    token_shortcode: 'basesepolia_usdc',
    created_at: NOW,
    updated_at: NOW,
  },
  intent_codes: { intent_code: 7, ...tenant, intent_id: idAt('pi', now) },
  claims: {
    claim_key: Buffer.alloc(32, 1),
    ...tenant,
    intent_id: idAt('pi', now),
    ...money,
    payer: PAYER,
    nonce: Buffer.alloc(32, 2),
    created_at: NOW,
  },
  acceptances: {
    ...tenant,
    intent_id: idAt('pi', now),
    position: 0,
    scheme: 'exact',
    ...money,
    token_shortcode: 'basesepolia_usdc',
    pay_to: PROCESSOR,
    amount: '1000000',
    payout_id: 1,
    max_timeout_seconds: 300,
    usd_per_token_atto: '1000000000000000000',
    rate_source: 'fixed',
    rate_observed_at: NOW,
    body: '{}',
  },
  authorizations: {
    ...tenant,
    intent_id: idAt('pi', now),
    claim_key: Buffer.alloc(32, 1),
    kind: 'transfer_with_authorization',
    ...money,
    payer: PAYER,
    recipient: PROCESSOR,
    cap: '1000000',
    valid_after: 1,
    valid_before: 2,
    nonce: Buffer.alloc(32, 2),
    signature: Buffer.alloc(65, 3),
    created_at: NOW,
  },
  metadata_keys: { ...tenant, key: 'order', declared_at: NOW },
  intent_metadata: { ...tenant, intent_id: idAt('pi', now), digest: Buffer.alloc(32, 4) },
  attempts: {
    ...tenant,
    id: idAt('att', now),
    intent_id: idAt('pi', now),
    code: 'invalid_signature',
    created_at: NOW,
  },
  payments: {
    ...tenant,
    id: idAt('pay', now),
    intent_id: idAt('pi', now),
    status: 'pending',
    ...money,
    token_shortcode: 'basesepolia_usdc',
    payer: PAYER,
    amount: '1000000',
    created_at: NOW,
    updated_at: NOW,
  },
  ledger_entries: {
    ...tenant,
    id: idAt('lg', now),
    payment_id: idAt('pay', now),
    ...money,
    account_name: 'payer',
    party: PAYER,
    amount: '-1000000',
    transaction_id: '0xaa',
    log_index: 0,
    created_at: NOW,
  },
  gas_losses: {
    ...tenant,
    id: idAt('lg', now),
    network: money.network,
    relayer: RELAYER,
    batch_id: 'bat_a',
    transaction_id: '0xaa',
    payment_id: idAt('pay', now),
    payer: PAYER,
    cause: 'expired',
    amount: '21000',
    created_at: NOW,
  },
  settlements: {
    ...tenant,
    payment_id: idAt('pay', now),
    intent_id: idAt('pi', now),
    intent_code: 7,
    claim_key: Buffer.alloc(32, 1),
    ...money,
    status: 'queued',
    cap: '1000000',
    settled_amount: '1000000',
    payout_id: 1,
    created_at: NOW,
    updated_at: NOW,
  },
  relayers: {
    network: money.network,
    address: RELAYER,
    mode: 'test',
    next_nonce: 0,
    status: 'active',
    updated_at: NOW,
  },
  batches: {
    id: idAt('bat', now),
    network: money.network,
    relayer: RELAYER,
    mode: 'test',
    nonce: 0,
    epoch: 1,
    status: 'signed',
    item_count: 1,
    transaction_id: '0xaa',
    created_at: NOW,
    updated_at: NOW,
  },
  batch_transactions: {
    network: money.network,
    transaction_id: '0xaa',
    batch_id: idAt('bat', now),
    mode: 'test',
    raw_transaction: Buffer.from('02', 'hex'),
    created_at: NOW,
  },
  events: {
    ...tenant,
    id: idAt('evt', now),
    type: 'payment_intent.created',
    intent_id: idAt('pi', now),
    sequence: 1,
    api_version: '2026-11-15',
    body: Buffer.from('{"object":"event","type":"payment_intent.created"}'),
    created_at: NOW,
  },
  endpoints: {
    ...tenant,
    id: 'we_a',
    url: 'https://shop.example/hooks',
    event_types: ['payment.completed'],
    status: 'enabled',
    api_version: '2026-11-15',
    created_at: NOW,
    updated_at: NOW,
  },
  deliveries: {
    ...tenant,
    event_id: idAt('evt', now),
    endpoint_id: 'we_a',
    status: 'pending',
    next_at: NOW,
    created_at: NOW,
  },
  delivery_attempts: {
    ...tenant,
    event_id: idAt('evt', now),
    endpoint_id: 'we_a',
    attempt: 1,
    outcome: 'succeeded',
    total_ms: 12,
    started_at: NOW,
  },
  event_replays: {
    ...tenant,
    id: 'rec_a',
    endpoint_id: 'we_a',
    from_at: new Date(0),
    to_at: NOW,
    scope: 'failed',
    status: 'running',
    after_event_id: '',
    created_at: NOW,
  },
  idempotency: { ...tenant, key: 'order-1', request_hash: Buffer.alloc(32, 4), created_at: NOW },
  audit: {
    ...tenant,
    id: idAt('aud', now),
    actor: 'key:key_a',
    action: 'endpoint.created',
    target: 'we_a',
    created_at: NOW,
  },
  audit_heads: { ...tenant, sequence: 0, hash: Buffer.alloc(32) },
} as const satisfies Record<string, Row>;

export type SampleTable = keyof typeof SAMPLES;

/** Inserts rows into `svc.<table>` in one statement. Each row is the sample with its own changes. */
export async function insertRows(
  connection: pg.Pool | pg.ClientBase,
  table: SampleTable,
  changes: readonly Row[],
): Promise<void> {
  const rows: Row[] = changes.map((change) => ({ ...SAMPLES[table], ...change }));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null));
  const places = rows.map(
    (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join()})`,
  );
  await connection.query(`insert into svc.${table} (${columns.join()}) values ${places.join()}`, values);
}

export const insertRow = (connection: pg.Pool | pg.ClientBase, table: SampleTable, change: Row = {}) =>
  insertRows(connection, table, [change]);

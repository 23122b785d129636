// What becomes of the rows of every table when an account moves to another cell. A test holds the list against the catalog: a
// new table fails it until somebody decides.
import { DELIVERY_STATUS, ENDPOINT_STATUS } from '@svc-pay/core';
import { sqlIs, sqlStatus } from '../database/status-sql.ts';

export type MovedTable = {
  readonly table: string;
  /** Rows of `t` that belong to the account `$1`. */
  readonly of: string;
  /** Order in which rows are written. Without one they are written as they are found. */
  readonly order?: string;
  /** Columns that the other cell gives values of its own, or that it has for good reasons otherwise; not compared. */
  readonly own?: Readonly<Record<string, string | undefined>>;
  /** Further members of the JSON of a row, which `own` may use as `doc -> …`. Compared. */
  readonly also?: string;
  /** Rows of several accounts: one that is there already stays. */
  readonly shared?: true;
  /** A key over all accounts under which the other cell may have a row of another one. `decideTaken` says which of the two stays. */
  readonly key?: readonly string[];
  /** Of a shared row that changes by itself: the columns that are compared. */
  readonly compared?: readonly string[];
  /** While the account is copied and afterwards nobody writes rows of it here. A text names the columns of the update. */
  readonly guard?: true | string;
};

const OF_ACCOUNT = 't.account_id = $1';
const guarded = (table: string): MovedTable => ({ table, of: OF_ACCOUNT, guard: true });

/** Every batch that carried something of the account. */
const BATCHES = `(
  select batch_id from svc.settlements where account_id = $1 and batch_id is not null
  union select batch_id from svc.reverted_batches where account_id = $1
  union select batch_id from svc.refunds where account_id = $1 and batch_id is not null
  union select batch_id from svc.stranded_transfers where account_id = $1 and batch_id is not null
)`;
const CODES = 'select code.intent_code from svc.intent_codes code where code.account_id = $1';
const WAY_KEY = (way: string) =>
  `concat_ws(' ', ${['network', 'pay_to', 'payout_id', 'asset', 'scheme', 'token_shortcode', 'confirmations']
    .map((column) => `${way}.${column}`)
    .join(', ')})`;
const SHOWN = '(select generation from svc.overview_cursors where shown)';
const figures = (table: string): MovedTable => ({
  table,
  of: `${OF_ACCOUNT} and t.generation = ${SHOWN}`,
  own: { generation: SHOWN },
});

/** In the order in which they are written: a row after those that it refers to. */
export const MOVED_TABLES: readonly MovedTable[] = [
  // Enabled by the commit that has all of it.
  { table: 'accounts', of: 't.id = $1', own: { status: "'active'" } },
  guarded('account_modes'),
  {
    table: 'api_keys',
    // Keys of console sessions belong to people, who stay.
    of: `${OF_ACCOUNT} and t.session_id is null`,
    guard: 'account_id, lookup, ciphertext, signing, scopes, expires_at, revoked_at',
    own: { last_used_at: 'given.last_used_at' },
  },
  guarded('account_tokens'),
  // Compared with the registry once more: the other cell has not followed its logs for these payouts.
  { table: 'payouts', of: OF_ACCOUNT, guard: true, own: { compared: 'false' } },
  guarded('x402_processor_sellers'),
  guarded('metadata_keys'),
  guarded('endpoints'),
  guarded('intent_codes'),
  guarded('intents'),
  guarded('intent_metadata'),
  guarded('acceptances'),
  guarded('authorizations'),
  guarded('refused_authorizations'),
  guarded('attempts'),
  // In the order in which services take the keys, so that nobody waits for each other.
  { table: 'claims', of: OF_ACCOUNT, guard: true, order: 'claim_key', key: ['claim_key'] },
  { table: 'x402_leases', of: OF_ACCOUNT, guard: true, order: 'claim_key', key: ['claim_key'] },
  {
    table: 'relayers',
    of: `(t.network, t.address) in (select sent.network, sent.relayer from svc.batches sent where sent.id in ${BATCHES})`,
    shared: true,
    compared: ['network', 'address'],
    // Their keys stay with the cell that sent the batches.
    own: { status: "'retired'", awake: 'false', heartbeat_at: 'null', obstacle: 'null', obstacle_since: 'null' },
  },
  {
    table: 'batches',
    of: `t.id in ${BATCHES}`,
    shared: true,
    own: { moved: 'true', compared: 'true', logs_read: 'given.logs_read' },
  },
  { table: 'batch_transactions', of: `t.batch_id in ${BATCHES}`, shared: true },
  guarded('payments'),
  guarded('settlements'),
  guarded('reverted_batches'),
  { table: 'stranded_transfers', of: OF_ACCOUNT, guard: true, order: 'number', own: { number: undefined } },
  { table: 'refunds', of: OF_ACCOUNT, guard: true, order: 'number', own: { number: undefined } },
  guarded('refund_totals'),
  guarded('ledger_entry_rows'),
  guarded('ledger_bookings'),
  { table: 'payment_changes', of: OF_ACCOUNT, guard: true, order: 'number', own: { number: undefined } },
  { table: 'log_proofs', of: OF_ACCOUNT, guard: true, key: ['network', 'transaction_id', 'log_index'] },
  guarded('events'),
  {
    table: 'deliveries',
    of: OF_ACCOUNT,
    guard: true,
    // What waits for its next try was parked for the move; those of an endpoint that is switched off go on waiting.
    own: {
      lease_until: 'null',
      next_at: `case when given.status <> ${sqlStatus(DELIVERY_STATUS.pending)} then null when exists (
        select from svc.endpoints e
        where e.account_id = given.account_id and e.mode = given.mode and e.id = given.endpoint_id and e.status ${sqlIs(ENDPOINT_STATUS.enabled)}
      ) then now() else 'infinity' end`,
    },
  },
  guarded('delivery_attempts'),
  guarded('event_replays'),
  guarded('idempotency'),
  // Not guarded: readings that find nothing go on, and the other cell repeats them.
  { table: 'payment_references', of: OF_ACCOUNT },
  {
    table: 'late_ways',
    of: `t.id in (select unnest(late.ways) from svc.late_terms late where late.intent_code in (${CODES}))`,
    shared: true,
    own: { id: undefined },
  },
  {
    table: 'late_terms',
    of: `t.intent_code in (${CODES})`,
    // Ways are numbered by each database for itself.
    also: `array(
      select ${WAY_KEY('way')} from unnest(t.ways) with ordinality as named (id, place)
      join svc.late_ways way on way.id = named.id order by named.place
    ) as way_keys`,
    own: {
      ways: `array(
        select way.id from json_array_elements_text(doc -> 'way_keys') with ordinality as named (key, place)
        join svc.late_ways way on ${WAY_KEY('way')} = named.key order by named.place
      )`,
    },
  },
  figures('overview_buckets'),
  figures('overview_failures'),
  figures('overview_times'),
];

/** Moved tables with a key over all accounts that no row of another account has in the other cell, and why. */
export const KEYS_BY_THEMSELVES: Readonly<Record<string, string>> = {
  accounts: 'ids are random; one that is there is refused',
  api_keys: 'hashes of random keys',
  intent_codes: 'each cell draws codes under a prefix of its own; the same one is refused',
  late_terms: 'by intent code',
  payment_references: 'made of the intent code',
  payouts: 'compared before the account is copied',
};

/** Tables whose rows stay where they are, and why. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  abuse_counts: 'counts of requests to this cell',
  account_moves: 'the record of moves from here',
  audit: 'a hash chain can not be continued elsewhere; both cells record the move',
  audit_exports: 'of the chains of this cell',
  audit_heads: 'of the chains of this cell',
  changed_settings: 'written by triggers',
  console_sessions: 'of people, who stay',
  delivery_shards: 'of the processes of this cell',
  denied: 'the operator’s list of this cell',
  deny_list: 'the operator’s list of this cell',
  gas_budget_uses: 'gas that relayers of this cell lost',
  gas_budgets: 'gas that relayers of this cell may lose',
  gas_losses: 'gas that relayers of this cell lost',
  gas_paid: 'gas that relayers of this cell paid',
  hourly_caps: 'of the networks of this cell',
  icrc_cursors: 'how far this cell has read; the other reads on from the same block',
  icrc_transfers: 'applied before the account is copied',
  installation: 'of this cell',
  invitations: 'of people, who stay',
  ledger_checks: 'of this cell',
  ledger_order: 'of this database',
  memberships: 'of people, who stay: the other cell invites them',
  network_health: 'of the networks of this cell',
  node_readings: 'of the nodes of this cell',
  open_restores: 'of this database',
  operators: 'of this cell',
  overview_cursors: 'how far this cell has folded',
  partitioned_tables: 'of this database',
  passkeys: 'of people, who stay',
  persons: 'of people, who stay',
  prepared_transfers: 'they name a relayer of this cell; wallets ask for another one',
  proven_wallets: 'of payers, by what this cell has seen',
  quota_buckets: 'counts of requests to this cell',
  quota_processes: 'of the processes of this cell',
  quota_streams: 'of the processes of this cell',
  read_logs: 'applied before the account is copied',
  reader_blocks: 'how far this cell has read',
  reader_cursors: 'how far this cell has read; the other reads on from the same block',
  registry_positions: 'how far this cell has read; the other compares the payouts with the registry',
  retention_runs: 'of this database',
  retired_partitions: 'of this database: archives of older months stay with their manifest',
  settings_version: 'of this database',
  sign_in_buckets: 'counts of requests to this cell',
  solo_payers: 'of payers, by what this cell has seen',
  svc_migrations: 'of this database',
  unsettled_authorizations: 'closed before the account is copied',
  webauthn_challenges: 'of people, who stay',
};

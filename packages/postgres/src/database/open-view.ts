// Opens the database as a read-only role that sees how payments go, but no API keys, webhook endpoints or signatures.
import { randomBytes } from 'node:crypto';
import { inTransaction } from './in-transaction.ts';
import { type Database, openDatabase } from './open-database.ts';

export type View = Pick<Database, 'pool' | 'close'>;

const ROLE = 'svc_view';
const WHOLE_TABLES = 'svc.relayers, svc.batches, svc.settlements, svc.ledger_entries, svc.attempts';
const INTENT_COLUMNS = 'account_id, mode, id, status, x402_upto, amount, token_shortcode, description, created_at';
const AUTHORIZATION_COLUMNS =
  'account_id, mode, intent_id, kind, direct, payer, recipient, cap, valid_before, closed_at, created_at';
const TRANSACTION_COLUMNS = 'network, transaction_id, batch_id, created_at';

/** Creates the role if missing, sets a new password and connects as it. The user of `superuserUrl` may create roles. */
export async function openView(superuserUrl: string): Promise<View> {
  // A role's password cannot be a query parameter. This one is hexadecimal, so it is safe in the text.
  const password = randomBytes(32).toString('hex');
  const owner = open(superuserUrl, 1);
  try {
    await inTransaction(owner.pool, async (client) => {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [ROLE]);
      if (rowCount === 0) await client.query(`create role ${ROLE}`);
      await client.query(`alter role ${ROLE} with login password '${password}'`);
      await client.query(`alter role ${ROLE} set default_transaction_read_only = on`);
      await client.query(`grant usage on schema svc to ${ROLE}`);
      await client.query(`grant select on ${WHOLE_TABLES} to ${ROLE}`);
      await client.query(`grant select (${INTENT_COLUMNS}) on svc.intents to ${ROLE}`);
      await client.query(`grant select (${AUTHORIZATION_COLUMNS}) on svc.authorizations to ${ROLE}`);
      await client.query(`grant select (${TRANSACTION_COLUMNS}) on svc.batch_transactions to ${ROLE}`);
    });
  } finally {
    await owner.close();
  }
  const url = new URL(superuserUrl);
  url.username = ROLE;
  url.password = password;
  return open(url.href, 4);
}

function open(url: string, maxConnections: number): Database {
  return openDatabase(url, {
    applicationName: 'svc-view',
    maxConnections,
    statementTimeoutMs: 5_000,
    onConnectionLost: () => {},
  });
}

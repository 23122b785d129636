// The shop's own database: a merchant keeps orders where the service cannot see them. In the sandbox it is on the same
// server, with a role that sees nothing else.
import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@svc-pay/postgres';
import { POSTGRES_EVENT_TABLE } from '@svc-pay/server';

const NAME = 'shop';

const TABLES = `
create table if not exists orders (
  id text primary key,
  item text not null,
  status text not null check (status in ('open', 'authorized', 'closing', 'paid', 'failed', 'canceled')),
  -- Made with the order. Null for an order of a version before: it can't be paid any more.
  intent_id text,
  client_secret text,
  units integer not null default 0,
  charged_atomic bigint,
  returned_atomic bigint,
  transaction_id text,
  trouble text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table orders add column if not exists client_secret text;
create index if not exists orders_intent on orders (intent_id);
create table if not exists endpoint (
  one boolean primary key default true check (one),
  id text not null,
  secret text not null
);
create or replace function tell_order() returns trigger language plpgsql as $$
begin
  perform pg_notify('shop_order', new.id);
  return null;
end
$$;
create or replace trigger orders_tell after insert or update on orders for each row execute function tell_order();
`;

export async function openShopDatabase(superuserUrl: string): Promise<Database> {
  // A role's password cannot be a query parameter. Safe to insert: it is generated as hexadecimal.
  const password = randomBytes(32).toString('hex');
  const owner = open(superuserUrl);
  try {
    const { rowCount } = await owner.pool.query('select from pg_roles where rolname = $1', [NAME]);
    if (rowCount === 0) await owner.pool.query(`create role ${NAME}`);
    await owner.pool.query(`alter role ${NAME} with login password '${password}'`);
    const { rowCount: databases } = await owner.pool.query('select from pg_database where datname = $1', [NAME]);
    if (databases === 0) await owner.pool.query(`create database ${NAME} owner ${NAME}`);
  } finally {
    await owner.close();
  }
  const url = new URL(superuserUrl);
  url.username = NAME;
  url.password = password;
  url.pathname = NAME;
  const database = open(url.href);
  await database.pool.query(`${TABLES}${POSTGRES_EVENT_TABLE}`);
  return database;
}

const open = (url: string): Database =>
  openDatabase(url, {
    applicationName: 'shop',
    maxConnections: 8,
    statementTimeoutMs: 5_000,
    onConnectionLost: () => {},
  });

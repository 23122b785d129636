-- Restores from the chain that are under way or left something open. While a network has a row, the next restore begins at its
-- block: services move the newest block that the database knows, and what was left open before it would not be read again.
-- A backup has the row that fits its books, so a database that is restored again reads from there too.
create table svc.open_restores (
  network text collate "C" primary key,
  -- The first block or slot to read. A later restore may lower it and never raises it. Null: nobody knows it.
  from_block bigint check (from_block >= 0),
  -- Relayers that an operator named: the database may not have them.
  relayers text[] not null default '{}' check (cardinality(relayers) <= 1000),
  opened_at timestamptz not null,
  updated_at timestamptz not null
);

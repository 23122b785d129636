-- What the chain reader has read. It works from a cursor to the head of the chain, and applies a log when its block is
-- final.

create domain svc.reader_source_kind as text check (value in ('processor', 'token'));

-- How far a source of logs is read: a processor, or a token in which direct payments are made.
create table svc.reader_cursors (
  network text collate "C" not null,
  -- Lower case.
  address text collate "C" not null,
  kind svc.reader_source_kind not null,
  -- Every block up to this one is read. Its time is in Unix seconds.
  block_number bigint not null check (block_number >= 0),
  block_hash text collate "C" not null,
  block_time bigint not null,
  updated_at timestamptz not null,
  primary key (network, address)
);

-- A direct payout is offered once its token is read.
grant select on svc.reader_cursors to svc_api;

-- Blocks at which a cursor stood before they were final: the newest that the chain still has is where a reorg began.
create table svc.reader_blocks (
  network text collate "C" not null,
  block_number bigint not null check (block_number >= 0),
  block_hash text collate "C" not null,
  block_time bigint not null,
  primary key (network, block_number)
);

-- Logs that concern this installation, from when they are read until they are applied.
create table svc.read_logs (
  network text collate "C" not null,
  transaction_id text collate "C" not null,
  log_index integer not null check (log_index >= 0),
  -- The source that logged it, in lower case.
  address text collate "C" not null,
  block_number bigint not null check (block_number >= 0),
  block_hash text collate "C" not null,
  event text collate "C" not null check (
    event in ('payment_settled', 'payment_received', 'authorization_used', 'authorization_canceled')
  ),
  -- The fields of the event.
  log jsonb not null,
  created_at timestamptz not null,
  -- Since when its block is final and it can't be applied: its lane has not recorded it, or nodes do not agree on it.
  waits_since timestamptz,
  primary key (network, transaction_id, log_index)
);

create index read_logs_of_block on svc.read_logs (network, block_number, log_index);
-- Whether a log about an authorization, or about an intent, waits to be applied. Bytes 8 to 15 of a bound nonce are the code
-- of its intent.
create index read_logs_of_nonce on svc.read_logs (network, (log ->> 'nonce'))
  where event in ('authorization_used', 'authorization_canceled');
create index read_logs_of_bound_code on svc.read_logs (substr(log ->> 'nonce', 19, 16)) where event = 'authorization_used';
create index read_logs_of_received_code on svc.read_logs ((log ->> 'intentCode')) where event = 'payment_received';

-- The sources: few, among many payouts.
create index payouts_processors on svc.payouts (network, processor) where kind = 'processor';
create index payouts_assets on svc.payouts (network, asset) where kind = 'direct';

-- Whether the reader's logs of the batch were compared with the payments that it completed. Batches of before the reader
-- are not.
alter table svc.batches add column compared boolean not null default true;
alter table svc.batches alter column compared set default false;
create index batches_uncompared on svc.batches (network, block_number, id)
  where status = 'finalized' and not compared and network like 'eip155:%';

grant select, insert, update on svc.reader_cursors, svc.reader_blocks, svc.read_logs to svc_settlement;
grant delete on svc.reader_blocks, svc.read_logs to svc_settlement;

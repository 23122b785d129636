-- How far settlement has followed the logs of a payout registry, and how far it has got in reading all of its payouts again.
create table svc.registry_positions (
  network text collate "C" not null,
  -- Lower case.
  processor text collate "C" not null,
  -- Payouts that logs up to this block name have been read since.
  block_number bigint not null check (block_number >= 0),
  -- When the last reading of all payouts began, and the payout up to which it has got. Null: it is at its end.
  sweep_began_at timestamptz not null,
  sweep_after bigint,
  primary key (network, processor)
) with (fillfactor = 50);
grant select, insert, update on svc.registry_positions to svc_settlement;

-- Whether the row was compared with the registry since a person last wrote it: no log names a registration that is older than
-- its row.
alter table svc.payouts add column compared boolean not null default false;
grant update (compared) on svc.payouts to svc_settlement;
create index payouts_uncompared on svc.payouts (network, processor, payout_id)
  where kind = 'processor' and (status = 'pending' or not compared);

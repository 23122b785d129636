-- What a lane needs to work: items that wait for proof, where a batch was mined, and signs of life.

-- `held`: the chain says that its authorization is used or its intent settled, and nobody has proven by whom. It is
-- neither sent again nor called failed until somebody has.
alter domain svc.settlement_status drop constraint settlement_status_check;
alter domain svc.settlement_status add constraint settlement_status_check check (
  value in ('queued', 'held', 'batched', 'mined', 'completed', 'failed', 'canceled')
);

-- A contract answered for the signature, not a key: such a payment goes in a transaction of its own, byte for byte.
alter table svc.authorizations add column by_contract boolean not null default false;

-- Where the transaction was seen mined, for the finality watch.
alter table svc.batches add column block_number bigint check (block_number >= 0);
alter table svc.batches add column block_hash text collate "C";

-- When the lane's drain last gave a sign of life: an awake lane without one was forgotten by the engine.
alter table svc.relayers add column beat_at timestamptz;

create index settlements_held on svc.settlements (network, number) where status = 'held';

-- The API sees which lanes sleep, marks them awake, and tells clients the transaction of a payment under way.
grant select (network, address, mode, status, awake) on svc.relayers to svc_api;
grant update (awake) on svc.relayers to svc_api;
grant select (id, network, status, transaction_id) on svc.batches to svc_api;

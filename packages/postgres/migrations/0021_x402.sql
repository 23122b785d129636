-- Sellers of x402 that use this installation as their facilitator.

-- `arrived`: written to the connection as a whole. `lost`: the connection ended before. `pending`: it said that the settlement
-- goes on. `unclaimed`: a settle ended before anything was claimed, or was spared from its rate limit. Null: nothing is known.
create domain svc.lease_answer as text check (value in ('arrived', 'lost', 'pending', 'unclaimed'));

-- Who may use an authorization: one call of one seller. Whether it is spent is told by svc.claims alone.
create table svc.x402_leases (
  -- As in svc.claims.
  claim_key svc.digest primary key,
  account_id text collate "C" not null,
  mode svc.mode not null,
  network text collate "C" not null,
  asset text collate "C" not null,
  payer text collate "C" not null,
  recipient text collate "C" not null,
  amount svc.positive_amount not null,
  valid_before bigint not null,
  -- Counts the calls that took the lease: the fence of every write.
  call integer not null check (call > 0),
  call_at timestamptz not null,
  -- Of that call.
  answer svc.lease_answer,
  -- The intent that a settle made. Null: no settle has begun.
  intent_id text collate "C"
) with (fillfactor = 80);

-- What a payer has leased is summed when another authorization of the payer is leased. A settle that ended without a claim
-- may claim when it is repeated.
create index x402_leases_open on svc.x402_leases (network, payer, asset, valid_before)
  where intent_id is null or answer is null or answer in ('lost', 'unclaimed');
-- In the order in which leases are deleted: those with a settle stay longer, and must not be read meanwhile.
create index x402_leases_ended on svc.x402_leases (valid_before) where intent_id is null;
create index x402_leases_settled on svc.x402_leases (call_at) where intent_id is not null;

-- Accounts that sell through the processor too: by default a seller is paid to a wallet of its own.
create table svc.x402_processor_sellers (
  account_id text collate "C" not null,
  mode svc.mode not null,
  created_at timestamptz not null,
  primary key (account_id, mode)
);

grant select, insert, update on svc.x402_leases to svc_api;
grant select on svc.x402_processor_sellers to svc_api;
grant select, delete on svc.x402_leases to svc_settlement;

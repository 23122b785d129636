-- Direct payments: nothing on chain refuses a second payment of an intent, so these rows do.

-- `direct`: the recipient is the merchant's wallet; the token's own logs complete the payment.
alter table svc.authorizations
  add column direct boolean not null default false,
  -- The nonce commits to installation, mode, chain, token, wallet, amount and intent.
  add column bound boolean not null default false,
  -- The block at which the authorization was seen unused. An earlier use paid for something else, unless the nonce is bound.
  add column unused_at_block bigint check (unused_at_block >= 0);

alter table svc.settlements
  add column direct boolean not null default false,
  -- Why the chain refused it last. A direct settlement does not fail by a refusal: it may be submitted until it expires.
  add column refusal text collate "C",
  -- A receipt may be its payment, and only the merchant can say so: a stranger paid a wallet that is shared.
  add column held_for_merchant boolean not null default false,
  -- The transaction of somebody else that completed it.
  add column foreign_transaction_id text collate "C",
  -- The processor or the wallet that was paid, where no authorization is stored: nobody submitted one to us.
  add column recipient text collate "C",
  drop constraint settlements_check,
  add constraint settlements_check check (
    settled_amount <= cap
    and (status not in ('batched', 'mined') or (relayer is not null and batch_id is not null))
    and (
      status <> 'completed' or (relayer is not null and batch_id is not null) or foreign_transaction_id is not null
    )
  );

-- How many logs of its payments the chain reader read, each once. Of a final batch that the reader has passed it is the number of
-- payments that the batch completed.
alter table svc.batches add column logs_read integer not null default 0 check (logs_read >= 0);

-- Direct authorizations that were validly signed and refused. Anybody who has seen one may submit it, so each is watched
-- until it has expired.
create table svc.refused_authorizations (
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  claim_key svc.digest not null,
  network text collate "C" not null,
  asset text collate "C" not null,
  payer text collate "C" not null,
  recipient text collate "C" not null,
  payout_id bigint not null,
  -- Position of the acceptance that it was signed for.
  position smallint not null,
  amount svc.positive_amount not null,
  valid_before bigint not null,
  nonce bytea not null,
  bound boolean not null,
  unused_at_block bigint not null check (unused_at_block >= 0),
  -- Why it was refused.
  code text collate "C" not null,
  -- The wallet had the money. Of others an intent keeps at most 20.
  funded boolean not null,
  -- When it became unable to move money, or was found on chain and recorded.
  closed_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, mode, intent_id, claim_key)
);

create index refused_authorizations_of_claim on svc.refused_authorizations (claim_key) where closed_at is null;
-- What `watch-direct` looks at, in the order of expiry.
create index refused_authorizations_watched on svc.refused_authorizations (network, valid_before, claim_key)
  where closed_at is null;
create index authorizations_direct on svc.authorizations (network, valid_before, claim_key)
  where closed_at is null and direct;
create index refused_authorizations_closed on svc.refused_authorizations (closed_at) where closed_at is not null;

-- One log proves one thing, for ever. A reorg that removes the log removes the row.
create table svc.log_proofs (
  network text collate "C" not null,
  transaction_id text collate "C" not null,
  log_index integer not null check (log_index >= 0),
  mode svc.mode not null,
  -- The payment that the log completes. Null: an unattributed receipt, money that pays no intent.
  account_id text collate "C",
  payment_id text collate "C",
  -- Of an unattributed receipt: why it pays no intent, and what the log says.
  reason text collate "C",
  log jsonb,
  -- The chain reader has read the log: a log that is read again after that is not counted again.
  read boolean not null default false,
  created_at timestamptz not null,
  primary key (network, transaction_id, log_index),
  check ((account_id is null) = (payment_id is null)),
  check ((payment_id is null) = (reason is not null and log is not null))
) partition by hash (transaction_id);

do $$
begin
  for remainder in 0 .. 15 loop
    execute format(
      'create table svc.log_proofs_%s partition of svc.log_proofs for values with (modulus 16, remainder %s)',
      remainder, remainder
    );
  end loop;
end
$$;

create index log_proofs_unattributed on svc.log_proofs (network, created_at) where payment_id is null;

-- The API may queue one thing again: a direct payment that the chain refused and whose payer submits it once more.
create function svc.queue_refused(owner text, owner_mode text, intent text, claim bytea, at timestamptz) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update svc.settlements s
  set status = 'queued', refusal = null, relayer = null, batch_id = null, updated_at = at,
    -- A payer whose transfer used up its gas meanwhile waits for its turn in the solo queue.
    solo_payer = coalesce(s.solo_payer, (
      select p.payer from svc.solo_payers p where p.network = s.network and p.payer = c.payer and p.until > at
    ))
  from svc.claims c
  where c.claim_key = claim and c.account_id = owner and c.mode = owner_mode and c.intent_id = intent
    and s.account_id = owner and s.mode = owner_mode and s.payment_id = c.payment_id
    and s.status = 'held' and s.direct and s.refusal is not null
    -- A payer who submits it again and again costs a lane one simulation in five seconds.
    and s.updated_at <= at - interval '5 seconds'
  returning true
$$;

grant execute on function svc.queue_refused(text, text, text, bytea, timestamptz) to svc_api;
grant select, insert on svc.refused_authorizations to svc_api;
grant select on svc.log_proofs to svc_api;
grant select, insert on svc.refused_authorizations, svc.log_proofs to svc_settlement;
grant delete, update (read) on svc.log_proofs to svc_settlement;
grant delete on svc.refused_authorizations to svc_settlement;
grant update (closed_at) on svc.refused_authorizations to svc_settlement;

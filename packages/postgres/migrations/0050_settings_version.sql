-- Which accounts' keys and settings have changed, for processes that remember them. A process asks for what is above the version
-- that it knows. The row of `svc.settings_version` is locked until the change commits, so versions commit in their order: who
-- has seen one has seen all below it.
create table svc.settings_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null,
  -- The transaction of the last change: all its rows share one version.
  transaction_id xid8,
  changed_at timestamptz
) with (fillfactor = 50);
insert into svc.settings_version (version) values (0);

-- One row per account: the version of its last change.
create table svc.changed_settings (
  -- '*': every account.
  account_id text collate "C" primary key,
  version bigint not null
);
create index changed_settings_version on svc.changed_settings (version);

-- The argument of the trigger is the column of the account; without one the row is of every account.
create function svc.announce_settings() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_row jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  update svc.settings_version
    set version = version + 1, transaction_id = pg_current_xact_id(), changed_at = transaction_timestamp()
    where (transaction_id, changed_at) is distinct from (pg_current_xact_id(), transaction_timestamp());
  insert into svc.changed_settings as known (account_id, version)
    select case when tg_nargs = 0 then '*' else of_row ->> tg_argv[0] end, version from svc.settings_version
    on conflict (account_id) do update set version = excluded.version where known.version < excluded.version;
  return null;
end
$$;

-- Deferred to the commit: the lock of the version is the last that a transaction takes, and it is held for a moment.
create constraint trigger accounts_settings
  after insert or delete or update of id, name, status on svc.accounts
  deferrable initially deferred for each row execute function svc.announce_settings('id');
create constraint trigger account_modes_settings
  after insert or delete or update of account_id, mode, rate_limit_per_second, publishable_origins, publishable_creates,
    upto_default_timeout_seconds, upto_max_timeout_seconds, minimum_usd_micros
  on svc.account_modes
  deferrable initially deferred for each row execute function svc.announce_settings('account_id');
create constraint trigger api_keys_settings
  after insert or delete or update of account_id, mode, id, kind, lookup, expires_at, revoked_at, scopes, person_id on svc.api_keys
  deferrable initially deferred for each row execute function svc.announce_settings('account_id');
create constraint trigger account_tokens_settings
  after insert or delete or update of account_id, mode, shortcode on svc.account_tokens
  deferrable initially deferred for each row execute function svc.announce_settings('account_id');
create constraint trigger payouts_settings
  after insert or delete or update of account_id, mode, network, payout_id, processor, merchant, fee_bps, splits, status, kind,
    asset, activation, active_from, created_at
  on svc.payouts
  deferrable initially deferred for each row execute function svc.announce_settings('account_id');
create constraint trigger x402_processor_sellers_settings
  after insert or delete or update of account_id, mode on svc.x402_processor_sellers
  deferrable initially deferred for each row execute function svc.announce_settings('account_id');
create constraint trigger metadata_keys_settings
  after insert or delete or update of account_id, mode, key, declared_at on svc.metadata_keys
  deferrable initially deferred for each row execute function svc.announce_settings('account_id');
-- Whether the transfers of a token are read.
create constraint trigger reader_cursors_settings
  after insert or delete or update of network, address on svc.reader_cursors
  deferrable initially deferred for each row execute function svc.announce_settings();

grant select on svc.settings_version, svc.changed_settings to svc_api;

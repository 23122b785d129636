-- Scopes of API keys, operators with keys of their own, the role of the admin service, and signed heads of the audit chains.

create domain svc.key_scopes as text[] check (
  value <@ array['read', 'create', 'charge', 'refund', 'webhooks'] and cardinality(value) > 0
);

-- Null: everything that a key of its kind may do. A key with scopes never signs webhooks: it is made to be handed on.
alter table svc.api_keys
  add column scopes svc.key_scopes,
  add constraint api_keys_scoped_check check (not signing or scopes is null);

grant select (scopes) on svc.api_keys to svc_webhooks;

-- HMAC of the operator's key under the server's pepper. Null: the operator has no key.
alter table svc.operators
  add column lookup svc.digest unique,
  add column hint text,
  add column last_used_at timestamptz;

-- Exports of the heads of the audit chains. Each holds the heads that changed since the one before it, and its hash covers
-- them and the hash before. Its signature is made by a key that is not in the database.
create table svc.audit_exports (
  number bigint primary key,
  created_at timestamptz not null,
  -- As text: the hash covers its bytes.
  heads text not null,
  previous_hash svc.digest not null,
  hash svc.digest not null,
  signature bytea not null,
  -- Public half of the key that signed.
  signed_by svc.digest not null,
  check (number > 0 and heads is json array and octet_length(signature) = 64)
);

-- Sequence of the head in its last export.
alter table svc.audit_heads add column exported_sequence bigint not null default 0;

create function svc.refuse_audit_export_change() returns trigger
language plpgsql as $$
begin
  raise exception 'exports of the audit heads are append-only: % refused', lower(tg_op)
    using errcode = 'integrity_constraint_violation', constraint = 'audit_exports_append_only';
end
$$;

create trigger audit_exports_append_only before update or delete on svc.audit_exports
  for each row execute function svc.refuse_audit_export_change();
create trigger audit_exports_no_truncate before truncate on svc.audit_exports
  for each statement execute function svc.refuse_audit_export_change();

-- The admin service changes accounts, keys, limits and payouts for operators. It can't read a stored key or its hash, can't
-- make an operator, and has no part in payments, books and events.
grant usage on schema svc to svc_admin;
grant execute on function svc.id_bound(text, timestamptz), svc.require(boolean, text) to svc_admin;
grant select on
  svc.installation, svc.operators, svc.accounts, svc.account_modes, svc.account_tokens, svc.payouts, svc.audit_heads,
  svc.audit_exports, svc.svc_migrations
  to svc_admin;
grant select (
  account_id, mode, id, kind, publishable_text, hint, signing, scopes, created_at, expires_at, revoked_at, last_used_at
) on svc.api_keys to svc_admin;
-- What closing an account would leave open.
grant select (account_id, mode, status) on svc.payments to svc_admin;
grant select (account_id, mode, id, status) on svc.intents to svc_admin;
grant select (account_id, mode, intent_id, upto, closed_at, valid_before) on svc.authorizations to svc_admin;
grant insert on svc.accounts, svc.account_modes, svc.api_keys, svc.audit, svc.audit_exports to svc_admin;
grant update (status) on svc.accounts, svc.payouts to svc_admin;
grant update (minimum_usd_micros, rate_limit_per_second, publishable_origins, publishable_creates)
  on svc.account_modes to svc_admin;
grant update (signing, expires_at, revoked_at) on svc.api_keys to svc_admin;
grant update (last_used_at) on svc.operators to svc_admin;
grant update (exported_sequence) on svc.audit_heads to svc_admin;

-- The admin service writes audit entries under operators who exist and are not disabled, and seals nothing.
create policy admin_records on svc.audit as restrictive for insert to svc_admin with check (
  sequence is null
  and exists (select from svc.operators operator where actor = 'operator:' || operator.id and disabled_at is null)
  or has_table_privilege('svc.batches', 'insert')
);

-- An operator may end a direct payout through the admin service. It brings none back.
create or replace function svc.refuse_direct_status() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')
    and not (new.status = 'disabled' and pg_has_role(current_user, 'svc_admin', 'usage')) then
    raise exception 'the status of a direct payout is changed by an operator alone'
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

-- The status of a processor's payout follows the chain, and settlement writes it.
create function svc.refuse_admin_status() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if pg_has_role(current_user, 'svc_admin', 'usage') and not pg_has_role(current_user, 'svc_settlement', 'usage')
    and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'the status of a processor’s payout follows the chain'
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

create trigger payouts_processor_status before update of status on svc.payouts
  for each row when (old.kind = 'processor') execute function svc.refuse_admin_status();

-- Stored answers of idempotent requests, and the audit log.

-- A row without an answer is a request in progress. Settlement deletes rows after 30 days, by `created_at`.
create table svc.idempotency (
  account_id text collate "C" not null,
  mode svc.mode not null,
  -- With the prefix `pk ` if the request used a publishable API key. A client can't send a key that begins so.
  key text collate "C" not null,
  request_hash svc.digest not null,
  response_status integer,
  response_headers jsonb,
  response_body bytea,
  created_at timestamptz not null,
  primary key (account_id, mode, key),
  -- 255 bytes of key and 3 of prefix.
  check (
    octet_length(key) between 1 and 258
    and (response_status is null) = (response_body is null)
    and coalesce(response_status, 200) between 200 and 499
  )
);

create index idempotency_age on svc.idempotency (created_at);

-- Written in the transaction of the change that it records. The hash chain of the account is sealed afterwards.
create table svc.audit (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  actor text not null,
  action text not null,
  target text not null,
  detail jsonb not null default '{}',
  created_at timestamptz not null,
  sequence bigint,
  previous_hash svc.digest,
  hash svc.digest,
  primary key (account_id, mode, id),
  check ((sequence is null) = (hash is null) and (sequence is null) = (previous_hash is null))
) partition by range (id);

create table svc.audit_default partition of svc.audit default;

create index audit_unsealed on svc.audit (account_id, mode, id) where sequence is null;
create index audit_chain on svc.audit (account_id, mode, sequence) where sequence is not null;

-- The last sealed row of each chain. The sealer locks its row, so that a sequence number is used once over all months.
create table svc.audit_heads (
  account_id text collate "C" not null,
  mode svc.mode not null,
  sequence bigint not null,
  hash svc.digest not null,
  primary key (account_id, mode)
);

create function svc.refuse_audit_change() returns trigger
language plpgsql as $$
declare
  seal constant text[] := array['sequence', 'previous_hash', 'hash'];
begin
  if tg_op = 'UPDATE' then
    if old.sequence is null and to_jsonb(new) - seal = to_jsonb(old) - seal then
      return new;
    end if;
  end if;
  raise exception 'the audit record is append-only: % refused', lower(tg_op)
    using errcode = 'integrity_constraint_violation', constraint = 'audit_append_only';
end
$$;

create trigger audit_append_only before update or delete on svc.audit
  for each row execute function svc.refuse_audit_change();
create trigger audit_no_truncate before truncate on svc.audit
  for each statement execute function svc.refuse_audit_change();

insert into svc.partitioned_tables (table_name, id_prefix, months_kept) values ('audit', 'aud', 120);

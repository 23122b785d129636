-- People who sign in to the console with passkeys, their accounts and sessions, and API keys that belong to a session.

create domain svc.person_role as text check (value in ('owner', 'developer', 'support', 'viewer'));
create domain svc.invitation_kind as text check (value in ('join', 'recover'));
create domain svc.challenge_kind as text check (value in ('sign_in', 'invitation', 'passkey', 'check'));
create domain svc.session_end as text check (
  value in ('signed_out', 'ended', 'expired', 'idle', 'secret_reused', 'recovered', 'disabled')
);
create domain svc.session_key_level as text check (value in ('base', 'fresh'));

create table svc.persons (
  id text collate "C" primary key,
  name text not null,
  -- May see the page of the operator. Set by command alone.
  operator_view boolean not null default false,
  created_at timestamptz not null,
  disabled_at timestamptz
);

-- Public halves of passkeys. One that is revoked stays: its id is never registered again.
create table svc.passkeys (
  credential_id bytea primary key check (octet_length(credential_id) between 1 and 1023),
  person_id text collate "C" not null references svc.persons,
  -- COSE key.
  public_key bytea not null,
  -- Uses that the authenticator counts; 0 from one that does not count.
  sign_count bigint not null check (sign_count >= 0),
  transports text[] not null,
  -- Model of the authenticator, as it says itself.
  aaguid text not null,
  name text not null,
  -- Synchronised to other devices of the person.
  backed_up boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index passkeys_of_person on svc.passkeys (person_id);

create table svc.memberships (
  account_id text collate "C" not null references svc.accounts,
  person_id text collate "C" not null references svc.persons,
  role svc.person_role not null,
  created_at timestamptz not null,
  primary key (account_id, person_id)
);
create index memberships_of_person on svc.memberships (person_id);

-- Links that make somebody a member of an account, or give a person who lost every device another passkey. The link has a
-- random secret of 32 bytes, of which the row has the SHA-256.
create table svc.invitations (
  id text collate "C" primary key,
  kind svc.invitation_kind not null,
  token_hash svc.digest not null unique,
  -- Of the account that the person joins. Null: recovery.
  account_id text collate "C" references svc.accounts,
  role svc.person_role,
  -- Who recovers. Null: whoever opens the link joins.
  person_id text collate "C" references svc.persons,
  name text not null,
  -- Who made it, as in the audit record.
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by text collate "C" references svc.persons,
  revoked_at timestamptz,
  check ((used_at is null) = (used_by is null)),
  check (
    kind = 'join' and account_id is not null and role is not null and person_id is null
    or kind = 'recover' and account_id is null and role is null and person_id is not null
  )
);
create index invitations_of_account on svc.invitations (account_id, id) where account_id is not null;
create index invitations_of_person on svc.invitations (person_id) where person_id is not null;

-- A session is known by the SHA-256 of its token, which the person's browser has. A new token is issued now and then; it
-- counts from the moment it is shown, and the one before it for some seconds more.
create table svc.console_sessions (
  id text collate "C" primary key,
  person_id text collate "C" not null references svc.persons,
  token_hash svc.digest not null unique,
  rotated_at timestamptz not null,
  -- Issued, and not shown yet.
  next_token_hash svc.digest unique,
  next_issued_at timestamptz,
  previous_token_hash svc.digest unique,
  previous_until timestamptz,
  -- API keys of the session are derived from the token and this: neither the cookie nor this table alone gives one.
  key_salt svc.digest not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- The last passkey check. Keys of level `fresh` belong to one check.
  verified_at timestamptz not null,
  check_id text collate "C" not null,
  user_agent text not null,
  address text not null,
  ended_at timestamptz,
  end_reason svc.session_end,
  check (
    (next_token_hash is null) = (next_issued_at is null) and (previous_token_hash is null) = (previous_until is null)
    and (ended_at is null) = (end_reason is null) and octet_length(user_agent) <= 1024 and octet_length(address) <= 64
  )
);
create index console_sessions_of_person on svc.console_sessions (person_id) where ended_at is null;
create index console_sessions_age on svc.console_sessions (expires_at);

-- Challenges that wait for an answer. The row is deleted by the answer that uses it: an answer is taken once.
create table svc.webauthn_challenges (
  hash svc.digest primary key,
  kind svc.challenge_kind not null,
  -- Session that asked. An invitation is named instead, and a sign-in names neither.
  session_id text collate "C" references svc.console_sessions on delete cascade,
  invitation_id text collate "C" references svc.invitations on delete cascade,
  expires_at timestamptz not null,
  check (
    (kind in ('passkey', 'check')) = (session_id is not null) and (kind = 'invitation') = (invitation_id is not null)
  )
);
create index webauthn_challenges_age on svc.webauthn_challenges (expires_at);

-- Limits of sign-ins that all processes of the console share. `full_at` is when the bucket is full again.
create table svc.sign_in_buckets (
  name text collate "C" primary key,
  full_at timestamptz not null,
  granted boolean not null
) with (fillfactor = 50);

-- A key of a session is stored as its hash alone: its text is derived from the token whenever it is needed.
alter table svc.api_keys
  add column session_id text collate "C" references svc.console_sessions,
  add column person_id text collate "C" references svc.persons,
  add column session_level svc.session_key_level,
  -- Check that a key of level `fresh` belongs to.
  add column session_check text collate "C",
  drop constraint api_keys_check,
  add constraint api_keys_check check (
    kind = 'secret' and (ciphertext is not null) = (session_id is null) and publishable_text is null
    or kind = 'publishable' and ciphertext is null and publishable_text is not null
  ),
  add constraint api_keys_of_session_check check (
    session_id is null and person_id is null and session_level is null and session_check is null
    or session_id is not null and person_id is not null and session_level is not null
      and (session_level = 'fresh') = (session_check is not null)
      and kind = 'secret' and scopes is not null and expires_at is not null and not signing
  );
create unique index api_keys_of_session on svc.api_keys (
  session_id, account_id, mode, session_level, coalesce(session_check, '')
) where session_id is not null;
create index api_keys_of_person on svc.api_keys (person_id, account_id) where person_id is not null;

-- A session key is made for a living session and a member of the account. The rows are locked against whoever ends the
-- session, disables the person or changes the membership at the same moment: that change revokes the key, or this insert is
-- refused.
create function svc.assert_session_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from svc.persons where id = new.person_id and disabled_at is null for share;
  if found then
    perform from svc.console_sessions
      where id = new.session_id and person_id = new.person_id and ended_at is null and expires_at >= new.expires_at
        and (new.session_check is null or check_id = new.session_check)
      for share;
  end if;
  if found then
    perform from svc.memberships where account_id = new.account_id and person_id = new.person_id for share;
  end if;
  if not found then
    raise exception 'key % belongs to no living session of a member of account %', new.id, new.account_id
      using errcode = 'integrity_constraint_violation', constraint = 'session_key_is_alive';
  end if;
  return new;
end
$$;
create trigger api_keys_session_alive before insert on svc.api_keys
  for each row when (new.session_id is not null) execute function svc.assert_session_key();

-- What ends a session or changes a membership ends its keys, in the same transaction.
create function svc.end_keys_of_session() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update svc.api_keys set revoked_at = new.ended_at where session_id = new.id and revoked_at is null;
  return null;
end
$$;
create trigger console_sessions_end_keys after update of ended_at on svc.console_sessions
  for each row when (old.ended_at is null and new.ended_at is not null) execute function svc.end_keys_of_session();

create function svc.end_keys_of_member() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update svc.api_keys set revoked_at = now()
    where person_id = old.person_id and account_id = old.account_id and revoked_at is null;
  return null;
end
$$;
create trigger memberships_end_keys after update of role or delete on svc.memberships
  for each row execute function svc.end_keys_of_member();

create function svc.end_sessions_of_person() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update svc.console_sessions set ended_at = new.disabled_at, end_reason = 'disabled'
    where person_id = new.id and ended_at is null;
  return null;
end
$$;
create trigger persons_end_sessions after update of disabled_at on svc.persons
  for each row when (old.disabled_at is null and new.disabled_at is not null)
  execute function svc.end_sessions_of_person();

-- A session that has ended does not come back, and neither does a revoked passkey.
create function svc.refuse_revival() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'what has ended on % stays so', tg_table_name
    using errcode = 'integrity_constraint_violation', constraint = 'no_revival';
end
$$;
create trigger console_sessions_no_revival before update of ended_at on svc.console_sessions
  for each row when (old.ended_at is not null and new.ended_at is distinct from old.ended_at)
  execute function svc.refuse_revival();
create trigger passkeys_no_revival before update of revoked_at on svc.passkeys
  for each row when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
  execute function svc.refuse_revival();
create trigger invitations_no_revival before update of used_at, used_by, revoked_at on svc.invitations
  for each row when (
    old.used_at is not null and new.used_at is distinct from old.used_at
    or old.used_by is not null and new.used_by is distinct from old.used_by
    or old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at
  ) execute function svc.refuse_revival();

-- Removes sessions that ended or expired before `before`, with their keys.
create function svc.remove_old_sessions(before timestamptz) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone text[];
begin
  select array_agg(id) into gone from (
    select id from svc.console_sessions
    where expires_at < before and expires_at < now() - interval '1 day' order by id limit 1000 for update skip locked
  ) old;
  delete from svc.api_keys where session_id = any (gone);
  delete from svc.console_sessions where id = any (gone);
  return coalesce(cardinality(gone), 0);
end
$$;

-- An entry under a key of a session names the person as well, whatever its writer says.
create function svc.name_person_of_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  key_id constant text := split_part(substr(new.actor, 5), '/', 1);
  person text;
begin
  select person_id into person from svc.api_keys
    where account_id = new.account_id and mode = new.mode and id = key_id;
  new.actor := 'key:' || key_id || coalesce('/person:' || person, '');
  return new;
end
$$;
create trigger audit_names_person before insert on svc.audit
  for each row when (new.actor like 'key:%') execute function svc.name_person_of_key();

-- The console signs people in. It reads no key, makes none, and changes nothing but people; everything else it asks of the
-- API and of the admin service, which find the person by the session.
grant usage on schema svc to svc_console;
grant execute on function svc.id_bound(text, timestamptz), svc.require(boolean, text),
  svc.remove_old_sessions(timestamptz) to svc_console;
grant select on
  svc.persons, svc.passkeys, svc.memberships, svc.invitations, svc.console_sessions, svc.webauthn_challenges,
  svc.sign_in_buckets, svc.svc_migrations
  to svc_console;
grant select (id, name, status) on svc.accounts to svc_console;
grant insert on
  svc.persons, svc.passkeys, svc.memberships, svc.invitations, svc.console_sessions, svc.webauthn_challenges,
  svc.sign_in_buckets, svc.audit
  to svc_console;
grant update (name) on svc.persons to svc_console;
grant update (sign_count, name, backed_up, last_used_at, revoked_at) on svc.passkeys to svc_console;
grant update (role) on svc.memberships to svc_console;
grant update (used_at, used_by, revoked_at) on svc.invitations to svc_console;
grant update (
  token_hash, rotated_at, next_token_hash, next_issued_at, previous_token_hash, previous_until, last_seen_at, verified_at,
  check_id, ended_at, end_reason
) on svc.console_sessions to svc_console;
grant update on svc.sign_in_buckets to svc_console;
grant delete on svc.memberships, svc.webauthn_challenges, svc.sign_in_buckets to svc_console;

alter table svc.persons enable row level security;
create policy granted on svc.persons using (true) with check (true);
create policy console_makes on svc.persons as restrictive for insert to svc_console with check (
  not operator_view and disabled_at is null or has_table_privilege('svc.batches', 'insert')
);

create policy console_records on svc.audit as restrictive for insert to svc_console with check (
  sequence is null
  and exists (select from svc.persons person where actor = 'person:' || person.id and disabled_at is null)
  or has_table_privilege('svc.batches', 'insert')
);

-- The admin service finds the person of a session, and writes audit entries under operators and persons who exist and are
-- not disabled.
grant select on svc.persons, svc.memberships to svc_admin;
grant select (
  id, person_id, token_hash, next_token_hash, previous_token_hash, previous_until, rotated_at, next_issued_at, key_salt,
  created_at, last_seen_at, expires_at, verified_at, check_id, ended_at
) on svc.console_sessions to svc_admin;
grant select (session_id, person_id, session_level, session_check) on svc.api_keys to svc_admin;

drop policy admin_records on svc.audit;
create policy admin_records on svc.audit as restrictive for insert to svc_admin with check (
  sequence is null
  and (
    exists (select from svc.operators operator where actor = 'operator:' || operator.id and disabled_at is null)
    or exists (select from svc.persons person where actor = 'person:' || person.id and disabled_at is null)
  )
  or has_table_privilege('svc.batches', 'insert')
);

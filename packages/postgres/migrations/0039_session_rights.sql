-- A person keeps the session when their role in an account changes. The keys of the former role end with the change, and the
-- session gets other ones: each key belongs to the rights that it was made for, and rights never come back.

alter table svc.memberships add column rights_id uuid not null default gen_random_uuid();

create function svc.renew_rights() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.rights_id := gen_random_uuid();
  return new;
end
$$;
create trigger memberships_renew_rights before update of role on svc.memberships
  for each row execute function svc.renew_rights();

alter table svc.api_keys add column session_rights uuid, drop constraint api_keys_of_session_check;
-- Sessions that are alive get keys of the new kind with their next request.
update svc.api_keys set session_rights = gen_random_uuid(), revoked_at = coalesce(revoked_at, now())
  where session_id is not null;
alter table svc.api_keys add constraint api_keys_of_session_check check (
  session_id is null and person_id is null and session_level is null and session_check is null and session_rights is null
  or session_id is not null and person_id is not null and session_level is not null and session_rights is not null
    and (session_level = 'fresh') = (session_check is not null)
    and kind = 'secret' and scopes is not null and expires_at is not null and not signing
);
drop index svc.api_keys_of_session;
create unique index api_keys_of_session on svc.api_keys (
  session_id, account_id, mode, session_level, coalesce(session_check, ''), session_rights
) where session_id is not null;

-- As before, and of the rights that the member has now: scopes that were judged by a former role are refused.
create or replace function svc.assert_session_key() returns trigger
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
    perform from svc.memberships
      where account_id = new.account_id and person_id = new.person_id and rights_id = new.session_rights for share;
  end if;
  if not found then
    raise exception 'key % belongs to no living session of a member of account %', new.id, new.account_id
      using errcode = 'integrity_constraint_violation', constraint = 'session_key_is_alive';
  end if;
  return new;
end
$$;

grant select (session_rights) on svc.api_keys to svc_admin;

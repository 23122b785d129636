-- What a person may do is judged before the transaction of the action. This judges it again inside, and holds the rows until it
-- ends: whoever ends the session, disables the person or changes the membership at the same moment waits, or is seen here.
-- `account` null: the action is the person's own, and of no account.
create function svc.hold_standing(person text, session text, account text, roles text[]) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held text;
begin
  perform from svc.persons where id = person and disabled_at is null for share;
  if found then
    perform from svc.console_sessions where id = session and person_id = person and ended_at is null for share;
  end if;
  if not found then return 'session_over'; end if;
  if account is null then return 'good'; end if;
  select role into held from svc.memberships where account_id = account and person_id = person for share;
  if held is null then return 'account_unknown'; end if;
  return case when held = any (roles) then 'good' else 'role_missing' end;
end
$$;
grant execute on function svc.hold_standing(text, text, text, text[]) to svc_admin, svc_console;

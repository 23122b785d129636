-- Runs before every migration run, and again without effect: roles, schema, and the list of what was applied.
-- Roles belong to the whole server: another database may be creating the same ones at this moment.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['svc_migrator', 'svc_api', 'svc_settlement', 'svc_webhooks'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin', role_name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
  end loop;
  if not pg_has_role(current_user, 'svc_migrator', 'set') then
    execute format('grant svc_migrator to %I', current_user);
  end if;
  if to_regnamespace('svc') is null then
    create schema svc authorization svc_migrator;
  end if;
end
$$;

-- Whoever migrates, the objects have one owner.
set role svc_migrator;

-- A change that can't get its lock fails and is tried again, instead of holding up every query that queues behind it.
set lock_timeout = '10s';

create table if not exists svc.svc_migrations (
  name text collate "C" primary key,
  checksum text not null,
  applied_at timestamptz not null
);

-- Runs before every migration run; a repeat has no effect. Creates roles, schema and the table of applied migrations.
-- Roles belong to the whole server: another database may create the same ones concurrently.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['svc_migrator', 'svc_api', 'svc_settlement', 'svc_webhooks', 'svc_admin', 'svc_console'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin', role_name);
      exception
        when duplicate_object or unique_violation then
          null;
        when insufficient_privilege then
          raise exception 'role % may not create role %: migrate with a role that may create roles, or create it first',
            current_user, role_name;
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

-- All objects have the same owner, whichever role migrates.
set role svc_migrator;

-- A change that cannot get its lock fails and is tried again, instead of blocking every query that queues behind it.
set lock_timeout = '10s';

create table if not exists svc.svc_migrations (
  name text collate "C" primary key,
  checksum text not null,
  applied_at timestamptz not null
);

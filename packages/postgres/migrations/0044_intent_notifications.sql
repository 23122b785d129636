-- One notification for all intents that a statement changed, instead of one for each: a batch ends hundreds of payments at
-- once, and every API process reads every notification. Processes that wait for an intent look by themselves too, so a
-- process of the release before, which reads one id in a notification, answers later and loses nothing.
create function svc.notify_intents() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  -- A notification holds less than 8,000 bytes, and an id is 29 long.
  perform pg_notify('svc_intent', string_agg(id, ','))
  from (
    select id, (row_number() over () - 1) / 200 as part from changed
    -- `processing` is told to nobody, as before: every payment commits it, and its waiters made the change.
    where status <> 'processing'
  ) told
  group by part;
  return null;
end
$$;

drop trigger intents_notify on svc.intents;
drop function svc.notify_intent();
create trigger intents_notify after update on svc.intents
  referencing new table as changed
  for each statement execute function svc.notify_intents();

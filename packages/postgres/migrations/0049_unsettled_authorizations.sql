-- Open authorizations that no settlement is going to use: those of payments that failed or were canceled, and of up-to intents.
-- Somebody who has seen one may submit it until it expires, so these are looked at again and again. All others are looked at
-- once, when they have expired.
create table svc.unsettled_authorizations (
  network text collate "C" not null,
  valid_before bigint not null,
  claim_key svc.digest not null,
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  primary key (network, valid_before, claim_key)
);
grant select, delete on svc.unsettled_authorizations to svc_settlement;

-- By triggers, so that no statement can end a payment, of this release or the one before, without its authorization being
-- watched from then on. Neither runs for a payment that is settled.
create function svc.watch_unsettled_authorization() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  insert into svc.unsettled_authorizations (network, valid_before, claim_key, account_id, mode, intent_id)
    select a.network, a.valid_before, a.claim_key, a.account_id, a.mode, a.intent_id from svc.authorizations a
    where a.account_id = new.account_id and a.mode = new.mode and a.intent_id = new.intent_id
      and a.claim_key = new.claim_key and a.closed_at is null and not a.direct
    on conflict do nothing;
  return null;
end
$$;

create trigger settlements_unsettled after insert on svc.settlements
  for each row when (new.status in ('failed', 'canceled')) execute function svc.watch_unsettled_authorization();
create trigger settlements_end_unsettled after update of status on svc.settlements
  for each row when (new.status in ('failed', 'canceled') and old.status <> new.status)
  execute function svc.watch_unsettled_authorization();
create trigger authorizations_unsettled after insert on svc.authorizations
  for each row when (new.upto) execute function svc.watch_unsettled_authorization();

insert into svc.unsettled_authorizations (network, valid_before, claim_key, account_id, mode, intent_id)
  select a.network, a.valid_before, a.claim_key, a.account_id, a.mode, a.intent_id from svc.authorizations a
  left join lateral (select payment_id from svc.claims c where c.claim_key = a.claim_key limit 1) c on true
  left join lateral (
    select status from svc.settlements s
    where s.account_id = a.account_id and s.mode = a.mode and s.payment_id = c.payment_id limit 1
  ) s on true
  where a.closed_at is null and not a.direct and (s.status is null or s.status in ('failed', 'canceled'));

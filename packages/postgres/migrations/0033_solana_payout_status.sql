-- A Solana payout is in no registry on its chain: like a direct payout it is ended by an operator alone, also through the admin
-- service, and settlement has no status to copy.

create or replace function svc.refuse_direct_status() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')
    and not (new.status = 'disabled' and pg_has_role(current_user, 'svc_admin', 'usage')) then
    raise exception 'the status of a payout that is in no registry is changed by an operator alone'
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

drop trigger payouts_direct_status on svc.payouts;
create trigger payouts_direct_status before update of status on svc.payouts
  for each row when (old.kind = 'direct' or old.network like 'solana:%') execute function svc.refuse_direct_status();

drop trigger payouts_processor_status on svc.payouts;
create trigger payouts_processor_status before update of status on svc.payouts
  for each row when (old.kind = 'processor' and old.network not like 'solana:%') execute function svc.refuse_admin_status();

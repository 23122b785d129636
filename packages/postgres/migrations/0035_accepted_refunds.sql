-- Locks the totals of a mismatched payment that is accepted, until the transaction ends: no refund of it begins meanwhile. Who
-- completes a refund locks the totals before the payment, so totals that another process has are not waited for: false.
create function svc.lock_accepted(owner text, owner_mode text, payment text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into svc.refund_totals (account_id, mode, payment_id, paid)
    select owner, owner_mode, payment, amount from svc.refundable_amount(owner, owner_mode, payment) as amount
    -- A conflict with a row that is being changed would wait.
    where amount is not null and not exists (
      select from svc.refund_totals totals
      where totals.account_id = owner and totals.mode = owner_mode and totals.payment_id = payment
    )
    on conflict do nothing;
  perform from svc.refund_totals totals
    where totals.account_id = owner and totals.mode = owner_mode and totals.payment_id = payment for update skip locked;
  return found or not exists (
    select from svc.refund_totals totals
    where totals.account_id = owner and totals.mode = owner_mode and totals.payment_id = payment
  );
end
$$;
grant execute on function svc.lock_accepted(text, text, text) to svc_settlement;

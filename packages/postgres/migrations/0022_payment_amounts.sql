-- What a payment says of its money. Both columns are null in rows that the release before wrote.

-- Dollars for a whole token, in units of 10^-18. The domain gets its check after the column: PostgreSQL writes a table anew for a
-- column whose domain has a check, and payments are kept for ten years.
create domain svc.token_rate as numeric;

alter table svc.payments
  -- Of the acceptance that is paid: acceptances are kept for 13 months only.
  add column usd_per_token_atto svc.token_rate,
  -- [{"recipient", "amount"}], amounts in the smallest unit as text. Null until the money was moved.
  add column splits jsonb;

alter domain svc.token_rate add constraint token_rate_check check (
  value > 0 and value <= 99999999999999999999999999999999999999 and scale(value) = 0
) not valid;

-- The API begins payments and writes no results.
alter policy api_begins on svc.payments with check (
  transaction_id is null and paid_amount is null and completed_at is null and not created_event and status = 'pending'
    and splits is null
  or has_table_privilege('svc.batches', 'insert')
);

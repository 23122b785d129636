-- Nothing asks for payments by their intent: an intent names its payment. But a plan made while a table is young takes this
-- index for as good as the key, and then reads every payment of the account to find one, until the table is analyzed.
drop index svc.payments_of_intent;

-- Called for every payment, and each names one row by its key: planning it anew each time, as processes that work by sets
-- ask for, takes longer than looking the row up.
alter function svc.assert_completed_payment_is_named() set plan_cache_mode = force_generic_plan;
alter function svc.assert_replaced_payment_is_over() set plan_cache_mode = force_generic_plan;

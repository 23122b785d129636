-- Nothing asks for payments by their intent: an intent names its payment. But a plan made while a table is young takes this
-- index for as good as the key, and then reads every payment of the account to find one, until the table is analyzed.
drop index svc.payments_of_intent;

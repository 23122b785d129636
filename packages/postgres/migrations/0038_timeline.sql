-- The timeline of a payment: its merchant sees which batches carried it and each transaction that was signed for them. All of it
-- is public on the chain; the signed bytes are not read.
grant select (relayer, nonce, item_count, created_at, updated_at) on svc.batches to svc_api;
grant select (batch_id, transaction_id, created_at) on svc.batch_transactions to svc_api;
grant select (account_id, mode, payment_id, batch_id) on svc.reverted_batches to svc_api;

-- When the intent was canceled or expired. `updated_at` is no record of it: late money and refunds change it. Null for intents
-- that were canceled before this column was there.
alter table svc.intents add column canceled_at timestamptz;
grant update (canceled_at) on svc.intents to svc_api;

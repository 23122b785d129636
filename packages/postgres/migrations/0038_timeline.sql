-- The timeline of a payment: its merchant sees which batches carried it and each transaction that was signed for them. All of it
-- is public on the chain; the signed bytes are not read.
grant select (relayer, nonce, item_count, created_at, updated_at) on svc.batches to svc_api;
grant select (batch_id, transaction_id, created_at) on svc.batch_transactions to svc_api;
grant select (account_id, mode, payment_id, batch_id) on svc.reverted_batches to svc_api;

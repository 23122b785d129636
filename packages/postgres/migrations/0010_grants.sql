-- What each service may do. These roles can't log in: the operator creates log-in roles as members of them.

grant usage on schema svc to svc_api, svc_settlement, svc_webhooks;
grant execute on function svc.id_bound(text, timestamptz), svc.require(boolean, text)
  to svc_api, svc_settlement, svc_webhooks;

-- The API takes requests. It queues settlements and wakes lanes; it can't write transactions or ledger entries.
grant select on
  svc.installation, svc.accounts, svc.account_modes, svc.api_keys, svc.account_tokens, svc.payouts,
  svc.intents, svc.intent_codes, svc.claims, svc.acceptances, svc.authorizations, svc.prepared_transfers, svc.attempts,
  svc.payments, svc.settlements, svc.ledger_entries, svc.solo_payers, svc.network_health, svc.hourly_caps,
  svc.stranded_transfers, svc.events, svc.endpoints, svc.deliveries, svc.delivery_attempts, svc.event_replays,
  svc.idempotency, svc.audit, svc.svc_migrations
  to svc_api;
grant select (network, address, mode, status, condition, duty, awake) on svc.relayers to svc_api;
grant select (id, network, status, transaction_id) on svc.batches to svc_api;
grant insert on
  svc.api_keys, svc.intents, svc.intent_codes, svc.claims, svc.acceptances, svc.authorizations, svc.prepared_transfers,
  svc.attempts, svc.payments, svc.settlements, svc.events, svc.endpoints, svc.deliveries, svc.event_replays,
  svc.idempotency, svc.audit
  to svc_api;
grant update on svc.intents, svc.payments, svc.endpoints, svc.deliveries, svc.idempotency to svc_api;
grant update (last_used_at, signing, expires_at, revoked_at) on svc.api_keys to svc_api;
grant update (payment_id) on svc.claims to svc_api;
grant update (awake) on svc.relayers to svc_api;
grant delete on svc.idempotency to svc_api;
grant usage on sequence svc.intent_code_counter, svc.settlement_number to svc_api;
grant execute on function svc.next_intent_code() to svc_api;

-- Settlement holds the relayer keys and records what the chain says. It can't read API keys or stored answers. It also
-- deletes expired rows and partitions.
grant select on
  svc.installation, svc.accounts, svc.account_modes, svc.payouts, svc.intents, svc.intent_codes, svc.claims,
  svc.acceptances, svc.authorizations, svc.prepared_transfers, svc.payments, svc.settlements, svc.relayers, svc.batches,
  svc.batch_transactions, svc.reverted_batches, svc.solo_payers, svc.ledger_entries, svc.gas_losses, svc.network_health,
  svc.hourly_caps, svc.stranded_transfers, svc.events, svc.deliveries, svc.audit, svc.audit_heads, svc.svc_migrations
  to svc_settlement;
grant select (account_id, mode, id, event_types, status) on svc.endpoints to svc_settlement;
grant select (account_id, mode, key, created_at) on svc.idempotency to svc_settlement;
grant insert on
  svc.claims, svc.authorizations, svc.payments, svc.settlements, svc.relayers, svc.batches, svc.batch_transactions,
  svc.reverted_batches, svc.solo_payers, svc.ledger_entries, svc.gas_losses, svc.network_health, svc.hourly_caps,
  svc.stranded_transfers, svc.events, svc.deliveries, svc.audit, svc.audit_heads
  to svc_settlement;
grant update on
  svc.intents, svc.payments, svc.settlements, svc.relayers, svc.batches, svc.solo_payers, svc.network_health,
  svc.hourly_caps, svc.stranded_transfers, svc.audit_heads
  to svc_settlement;
grant update (payment_id) on svc.claims to svc_settlement;
grant update (closed_at) on svc.authorizations to svc_settlement;
grant update (status, transaction_id) on svc.payouts to svc_settlement;
grant update (sequence, previous_hash, hash) on svc.audit to svc_settlement;
grant delete on svc.prepared_transfers, svc.solo_payers, svc.idempotency to svc_settlement;
grant usage on sequence svc.settlement_number to svc_settlement;
grant execute on function
  svc.ensure_partitions(integer, integer, timestamptz), svc.drop_expired_partitions(timestamptz)
  to svc_settlement;

-- Webhooks connects to addresses that merchants chose. It reads what it sends, where to, and the keys it signs with.
grant select on
  svc.events, svc.endpoints, svc.deliveries, svc.delivery_attempts, svc.delivery_shards, svc.event_replays,
  svc.svc_migrations
  to svc_webhooks;
grant select (account_id, mode, id, kind, ciphertext, signing, expires_at, revoked_at) on svc.api_keys to svc_webhooks;
grant insert on svc.deliveries, svc.delivery_attempts, svc.delivery_shards to svc_webhooks;
grant update on svc.deliveries, svc.delivery_shards, svc.event_replays to svc_webhooks;
grant update (status, disabled_reason, failing_since, warned_at, updated_at) on svc.endpoints to svc_webhooks;

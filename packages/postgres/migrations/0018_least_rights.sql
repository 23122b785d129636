-- Least rights: whoever takes over the API, with its role and its settings, makes no API key, moves no payout and announces
-- no payment.

-- Keys, payment results and claims are not the API's to write. It reads no audit entries and deletes no stored answers.
revoke insert, update on svc.api_keys from svc_api;
grant update (last_used_at) on svc.api_keys to svc_api;
revoke update on svc.payments, svc.claims from svc_api;
revoke select on svc.audit from svc_api;
revoke update, delete on svc.idempotency from svc_api;
grant update (response_status, response_headers, response_body) on svc.idempotency to svc_api;
revoke update on svc.intents from svc_api;
grant update (
  status, payment_id, amount, ledger_id, network, token_shortcode, confirmations, service_metadata, expires_at,
  event_sequence, version, updated_at
) on svc.intents to svc_api;

-- Settlement checks that the key in whose name an up-to settlement is asked belongs to the account. It can't find a key by
-- its hash, nor read its ciphertext.
grant select (account_id, mode, id, kind, expires_at, revoked_at) on svc.api_keys to svc_settlement;

-- Which rows a role may write, where a grant on the table says too little. Policies and not checks: they are part of the
-- cached plan, while the checks of a table are prepared for every statement. They hold for members of the named roles; a role
-- that may also sign batches, such as one role for all services of a test installation, is not restricted.
-- The policy `granted` leaves everything else to the grants.
alter table svc.intents enable row level security;
create policy granted on svc.intents using (true) with check (true);
create policy api_begins on svc.intents as restrictive for insert to svc_api with check (
  payment_id is null and status = 'requires_payment' or has_table_privilege('svc.batches', 'insert')
);

alter table svc.payments enable row level security;
create policy granted on svc.payments using (true) with check (true);
create policy api_begins on svc.payments as restrictive for insert to svc_api with check (
  transaction_id is null and paid_amount is null and completed_at is null and not created_event and status = 'pending'
  or has_table_privilege('svc.batches', 'insert')
);

alter table svc.settlements enable row level security;
create policy granted on svc.settlements using (true) with check (true);
create policy api_begins on svc.settlements as restrictive for insert to svc_api with check (
  relayer is null and batch_id is null and foreign_transaction_id is null and status in ('queued', 'held')
  or has_table_privilege('svc.batches', 'insert')
);

-- The API announces intents, and the body ends with the type of its row: a reader of the body learns no other type. In test
-- mode the API also sends samples, which the trigger below tells from events of payments.
alter table svc.events enable row level security;
create policy granted on svc.events using (true) with check (true);
create policy api_announces on svc.events as restrictive for insert to svc_api with check (
  (
    type in ('payment_intent.created', 'x402_upto_authorization_received') and payment_id is null
    or mode = 'test' and payment_id is not null
  )
  and substring(body from octet_length(body) - octet_length(type) - 10)
    = convert_to(',"type":"' || type || '"}', 'UTF8')
  or has_table_privilege('svc.batches', 'insert')
);
create policy settlement_announces on svc.events as restrictive for insert to svc_settlement with check (
  payment_id is not null or type in ('payment_intent.created', 'x402_upto_authorization_received')
);

-- The API records what the holders of API keys do, and seals nothing.
alter table svc.audit enable row level security;
create policy granted on svc.audit using (true) with check (true);
create policy api_records on svc.audit as restrictive for insert to svc_api with check (
  actor like 'key:%' and sequence is null or has_table_privilege('svc.batches', 'insert')
);

-- The API may claim and cancel an intent. Every other change of its status follows from the chain. Triggers run in the
-- session of whoever writes: without a search path of their own, that session would choose what their operators mean.
create function svc.assert_may_settle() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not has_table_privilege('svc.batches', 'insert') then
    raise exception 'intent % may not go from % to % here', old.id, old.status, new.status
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

create trigger intents_settled_by_settlement before update of status on svc.intents
  for each row when (
    old.status <> new.status
    and not (old.status = 'requires_payment' and new.status in ('processing', 'canceled'))
    and not (old.status = 'mismatched' and new.status = 'canceled')
  )
  execute function svc.assert_may_settle();

-- An event of a payment says what the row of the payment says. In test mode an event may also be a sample: then neither its
-- payment nor its intent exists.
create function svc.assert_event_is_true() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  actual text;
begin
  select status into actual from svc.payments
    where account_id = new.account_id and mode = new.mode and id = new.payment_id and intent_id = new.intent_id;
  if actual is null and new.mode = 'test' then
    perform from svc.intents where account_id = new.account_id and mode = new.mode and id = new.intent_id;
    if not found then
      perform from svc.payments where account_id = new.account_id and mode = new.mode and id = new.payment_id;
      if not found then
        return null;
      end if;
    end if;
  end if;
  if actual is null or actual <> (
    case new.type
      when 'payment.completed' then 'completed'
      when 'payment.failed' then 'failed'
      when 'payment.cancelled' then 'canceled'
      when 'payment.refunded' then 'refunded'
      else actual
    end
  ) then
    raise exception '% is announced, but payment % of intent % is %',
        new.type, new.payment_id, new.intent_id, coalesce(actual, 'unknown')
      using errcode = 'integrity_constraint_violation', constraint = 'event_is_true';
  end if;
  return null;
end
$$;

create trigger events_of_payments_are_true after insert on svc.events
  for each row when (new.payment_id is not null)
  execute function svc.assert_event_is_true();

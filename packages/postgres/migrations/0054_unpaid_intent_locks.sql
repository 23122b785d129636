-- The function of 0016 locked all intents of a page in one statement, which chose the partition of each while it ran: PostgreSQL
-- 18.4 ends if one of them has changed meanwhile (docs/internals/planner-rules.md, rule 14).
create or replace function svc.remove_unpaid_intents(accounts text[], modes text[], intents text[], before timestamptz)
returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  asked record;
  -- Of the intents that leave.
  owners text[];
  owner_modes text[];
  ids text[];
  codes bigint[];
begin
  -- Whoever sends an event again has this lock shared from before it reads the event until its delivery is committed.
  perform pg_advisory_xact_lock(hashtextextended('svc.sent_again', 0));

  -- Each is locked by a statement of its own, and all are judged by the next, which sees everything that was committed before
  -- the locks were granted.
  for asked in select * from unnest(accounts, modes, intents) as given (account_id, mode, id) loop
    perform from svc.intents locked
      where locked.account_id = asked.account_id and locked.mode = asked.mode and locked.id = asked.id
      limit 1 for update skip locked;
    if found then
      owners := owners || asked.account_id;
      owner_modes := owner_modes || asked.mode;
      ids := ids || asked.id;
    end if;
  end loop;
  select array_agg(intent.account_id), array_agg(intent.mode::text), array_agg(intent.id), array_agg(intent.intent_code::bigint)
    into owners, owner_modes, ids, codes
    from unnest(owners, owner_modes, ids) as given (account_id, mode, id)
    cross join lateral (
      select * from svc.intents found
      where found.account_id = given.account_id and found.mode = given.mode and found.id = given.id
      limit 1
    ) intent
    where intent.status = 'canceled' and intent.payment_id is null and intent.event_sequence <= 1
      and intent.updated_at < before and intent.expires_at < before
      and not exists (
        select from svc.authorizations signed
        where signed.account_id = intent.account_id and signed.mode = intent.mode and signed.intent_id = intent.id
      )
      and not exists (
        select from svc.refused_authorizations refused
        where refused.account_id = intent.account_id and refused.mode = intent.mode and refused.intent_id = intent.id
          and refused.closed_at is null
      )
      and not exists (
        select from svc.prepared_transfers prepared
        where prepared.account_id = intent.account_id and prepared.mode = intent.mode and prepared.intent_id = intent.id
      )
      -- A payment that waits to be final is judged first.
      and not exists (
        select from svc.read_logs paid
        where paid.event = 'payment_received' and paid.log ->> 'intentCode' = intent.intent_code::text
      )
      and not exists (
        select from svc.read_logs used
        where used.event = 'authorization_used'
          and substr(used.log ->> 'nonce', 19, 16) = lpad(to_hex(intent.intent_code), 16, '0')
      );
  if codes is null then
    return 0;
  end if;

  insert into svc.late_ways (scheme, network, token_shortcode, asset, pay_to, payout_id, confirmations)
    select distinct offered.scheme, offered.network, offered.token_shortcode, offered.asset, offered.pay_to,
      offered.payout_id, offered.confirmations
    from unnest(owners, owner_modes, ids) as gone (account_id, mode, id)
    join svc.acceptances offered
      on offered.account_id = gone.account_id and offered.mode = gone.mode and offered.intent_id = gone.id
    where offered.payout_id is not null and not exists (
      select from svc.late_ways known
      where known.network = offered.network and known.pay_to = offered.pay_to and known.payout_id = offered.payout_id
        and known.asset = offered.asset and known.scheme = offered.scheme
        and known.token_shortcode = offered.token_shortcode and known.confirmations = offered.confirmations
    )
    on conflict do nothing;

  -- An intent that came back, because somebody paid it late, has its terms already.
  insert into svc.late_terms (intent_code, expires_at, expected_sender, ways, amounts, price_ends_at)
    select gone.code, intent.expires_at, intent.expected_sender, coalesce(terms.ways, '{}'), coalesce(terms.amounts, '{}'),
      terms.price_ends_at
    from unnest(owners, owner_modes, ids, codes) as gone (account_id, mode, id, code)
    cross join lateral (
      select found.expires_at, found.expected_sender from svc.intents found
      where found.account_id = gone.account_id and found.mode = gone.mode and found.id = gone.id
      limit 1
    ) intent
    cross join lateral (
      select array_agg(way.id order by offered.position) as ways,
        array_agg(offered.amount order by offered.position)::svc.positive_amount[] as amounts,
        case when count(offered.price_ends_at) > 0
          then array_agg(offered.price_ends_at order by offered.position) end as price_ends_at
      from svc.acceptances offered
      join svc.late_ways way
        on way.network = offered.network and way.pay_to = offered.pay_to and way.payout_id = offered.payout_id
          and way.asset = offered.asset and way.scheme = offered.scheme and way.token_shortcode = offered.token_shortcode
          and way.confirmations = offered.confirmations
      where offered.account_id = gone.account_id and offered.mode = gone.mode and offered.intent_id = gone.id
    ) terms
    on conflict do nothing;

  -- An event that still waits to be delivered stays, and leaves with its month.
  with told as materialized (
    select event.account_id, event.mode, event.id
    from unnest(owners, owner_modes, ids) as gone (account_id, mode, intent_id)
    cross join lateral (
      select found.account_id, found.mode, found.id from svc.events found
      where found.account_id = gone.account_id and found.mode = gone.mode and found.intent_id = gone.intent_id
      offset 0
    ) event
    where not exists (
      select from svc.deliveries waiting
      where waiting.account_id = event.account_id and waiting.mode = event.mode and waiting.event_id = event.id
        and waiting.status = 'pending'
    )
  ),
  delivered as (
    delete from svc.deliveries delivery using told
    where delivery.account_id = told.account_id and delivery.mode = told.mode and delivery.event_id = told.id
  )
  delete from svc.events event using told
    where event.account_id = told.account_id and event.mode = told.mode and event.id = told.id;

  delete from svc.acceptances offered using unnest(owners, owner_modes, ids) as gone (account_id, mode, id)
    where offered.account_id = gone.account_id and offered.mode = gone.mode and offered.intent_id = gone.id;
  delete from svc.intents intent using unnest(owners, owner_modes, ids) as gone (account_id, mode, id)
    where intent.account_id = gone.account_id and intent.mode = gone.mode and intent.id = gone.id;
  return cardinality(codes);
end
$$;

-- Shared types, intent codes, the smallest id of a moment, and a check inside a statement.

-- Nobody may execute a function until it is granted.
alter default privileges revoke execute on functions from public;

-- A rule about a single value is a domain, not a table check. PostgreSQL caches the rules of a domain, but prepares the
-- checks of a table again for every statement; for an insert of one row that costs more than the insert.

-- Smallest units of a token, up to 2^256 - 1. numeric(78, 0) would round a fraction silently; this domain refuses it, so
-- every division must state its rounding.
create domain svc.amount as numeric check (
  value >= 0
  and value <= 115792089237316195423570985008687907853269984665640564039457584007913129639935
  and scale(value) = 0
);

create domain svc.positive_amount as svc.amount check (value > 0);

-- The amount of a ledger entry: positive when money arrives, negative when it leaves, never zero.
create domain svc.signed_amount as numeric check (
  value <> 0
  and abs(value) <= 115792089237316195423570985008687907853269984665640564039457584007913129639935
  and scale(value) = 0
);

-- US dollars in units of 10^-18.
create domain svc.usd_atto as numeric check (
  value >= 0 and value <= 99999999999999999999999999999999999999 and scale(value) = 0
);

create domain svc.mode as text check (value in ('test', 'live'));

-- Below 2^53: exact in a JSON number.
create domain svc.intent_code as bigint check (value >= 0 and value < 9007199254740992);

create domain svc.digest as bytea check (octet_length(value) = 32);

-- JSON stored byte for byte as it was received.
create domain svc.json_object as text check (value is json object);

create table svc.installation (
  only_row boolean primary key default true check (only_row),
  -- The upper 20 bits of every intent code that is handed out.
  intent_code_prefix integer not null check (intent_code_prefix between 0 and 1048575),
  created_at timestamptz not null
);

-- The lower 33 bits of an intent code.
create sequence svc.intent_code_counter as bigint minvalue 0 maxvalue 8589934591 no cycle;

-- Draws a new prefix for intent codes at random and restarts the counter. A code that was settled on chain can't be used
-- again, and a database that was restored or cloned does not know which codes were used after its backup: call this before
-- it creates an intent.
create function svc.skip_used_intent_codes() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  drawn integer := ('x' || left(gen_random_uuid()::text, 5))::bit(20)::integer;
begin
  insert into svc.installation (intent_code_prefix, created_at) values (drawn, now())
    on conflict (only_row) do update set intent_code_prefix = excluded.intent_code_prefix;
  perform setval('svc.intent_code_counter', 0, false);
  return drawn;
end
$$;

select svc.skip_used_intent_codes();

-- 20 bits of prefix and 33 bits of counter. Raises when the counter is used up.
create function svc.next_intent_code() returns bigint
language sql volatile as $$
  select (intent_code_prefix::bigint << 33) + nextval('svc.intent_code_counter') from svc.installation
$$;

-- The smallest id of `prefix` that can be created at or after `at`: 50 bits of milliseconds in ten characters of
-- Crockford's base32. Ids are compared as bytes, so this is a bound for `collate "C"` columns.
create function svc.id_bound(prefix text, at timestamptz) returns text
language sql immutable strict parallel safe as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((milliseconds >> (5 * digit)) & 31)::integer + 1, 1), ''
    order by digit desc
  )
  from (select floor(extract(epoch from at) * 1000)::bigint as milliseconds) as moment, generate_series(0, 9) as digit
$$;

-- Aborts the statement that calls it unless `condition` is true: a statement that writes several tables checks its own result
-- without another round trip. Nothing else raises SV001.
create function svc.require(condition boolean, what text) returns boolean
language plpgsql volatile as $$
begin
  if condition is not true then
    raise exception using errcode = 'SV001', message = what;
  end if;
  return true;
end
$$;

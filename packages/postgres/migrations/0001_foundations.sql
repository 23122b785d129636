-- What every table leans on: the shape of money and modes, intent codes, and time read from ids.

-- A function is nobody's until it is granted.
alter default privileges revoke execute on functions from public;

-- Rules about one value are domains, not checks of a table: PostgreSQL keeps a domain's rule ready, and reads a table's
-- checks anew for every statement, which for one row costs more than writing it.

-- Smallest units of a token, up to 2^256 - 1. No column type with a scale: numeric(78, 0) would round a fraction
-- silently, this refuses it, so every division has to say how it rounds.
create domain svc.amount as numeric check (
  value >= 0
  and value <= 115792089237316195423570985008687907853269984665640564039457584007913129639935
  and scale(value) = 0
);

create domain svc.positive_amount as svc.amount check (value > 0);

-- A ledger entry: money that arrives is positive, money that leaves is negative, nothing is not an entry.
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

-- JSON kept as it was written.
create domain svc.json_object as text check (value is json object);

create table svc.installation (
  only_row boolean primary key default true check (only_row),
  intent_code_epoch integer not null check (intent_code_epoch between 0 and 1048575),
  created_at timestamptz not null
);

create sequence svc.intent_code_counter as bigint minvalue 0 maxvalue 8589934591 no cycle;

-- Draws a new epoch and starts counting again. Codes are burnt on chain for ever, so a database that was restored or
-- cloned calls this before it hands out a code: it can't know which ones its other life used up.
create function svc.begin_intent_code_epoch() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  drawn integer := ('x' || left(gen_random_uuid()::text, 5))::bit(20)::integer;
begin
  insert into svc.installation (intent_code_epoch, created_at) values (drawn, now())
    on conflict (only_row) do update set intent_code_epoch = excluded.intent_code_epoch;
  perform setval('svc.intent_code_counter', 0, false);
  return drawn;
end
$$;

select svc.begin_intent_code_epoch();

-- 20 bits of epoch, 33 bits of count: below 2^53, exact in a JSON number. Raises when the epoch is used up.
create function svc.next_intent_code() returns bigint
language sql volatile as $$
  select (intent_code_epoch::bigint << 33) + nextval('svc.intent_code_counter') from svc.installation
$$;

-- The smallest id of `prefix` that can be drawn at or after `at`: 50 bits of milliseconds in ten characters of
-- Crockford's base32. Ids compare as bytes, so this is a bound for `collate "C"` columns.
create function svc.id_bound(prefix text, at timestamptz) returns text
language sql immutable strict parallel safe as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((milliseconds >> (5 * place)) & 31)::integer + 1, 1), ''
    order by place desc
  )
  from (select floor(extract(epoch from at) * 1000)::bigint as milliseconds) as moment, generate_series(0, 9) as place
$$;

-- Whom the operator refuses, and what the API counts of its clients.

-- `address`: a range in CIDR notation. `address_hash`: the hash of one day under which log lines name a client.
create domain svc.denied_kind as text check (value in ('address', 'address_hash', 'payer', 'key'));

create table svc.denied (
  kind svc.denied_kind not null,
  -- In one notation: the base of its range, hex of a payer in lower case.
  value text collate "C" not null,
  reason text not null,
  -- Who denied it, as in the audit record.
  actor text not null,
  created_at timestamptz not null,
  -- Null: until it is removed.
  expires_at timestamptz,
  primary key (kind, value)
);

-- Counts the changes of `svc.denied`, so that a process that asks every second reads one row and not the whole list.
create table svc.deny_list (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);

insert into svc.deny_list (version) values (1);

create function svc.announce_denied() returns trigger
language plpgsql as $$
begin
  update svc.deny_list set version = version + 1;
  perform pg_notify('svc_denied', '');
  return null;
end
$$;

create trigger denied_announced after insert or update or delete or truncate on svc.denied
  for each statement execute function svc.announce_denied();

create domain svc.abuse_cause as text check (value in ('refused', 'created', 'streams'));
create domain svc.abuse_subject as text check (value in ('address', 'key', 'account', 'payer'));

-- The heaviest subjects of each hour, as each process of the API counted them. A process replaces its own rows of an hour; the
-- API deletes rows after a week.
create table svc.abuse_counts (
  hour timestamptz not null,
  -- Drawn by the process when it starts.
  process uuid not null,
  cause svc.abuse_cause not null,
  subject_kind svc.abuse_subject not null,
  -- Hash of an address, id of a key, account and mode, address of a payer.
  subject text collate "C" not null,
  occurrences bigint not null check (occurrences > 0),
  -- Of created intents: how many payments came from the same subject.
  paid bigint not null,
  primary key (hour, process, cause, subject_kind, subject)
);

grant select on svc.denied, svc.deny_list to svc_api;
grant select, insert, update, delete on svc.abuse_counts to svc_api;

-- An operator's key can be replaced with an overlap, and each of its hashes says which pepper made it: the key itself is stored
-- nowhere, so nothing but the operator's next key moves to another pepper.
alter table svc.operators
  add column pepper smallint not null default 1 constraint operators_pepper check (pepper between 1 and 255),
  -- Works beside the current key until it expires.
  add column previous_lookup svc.digest unique,
  add column previous_pepper smallint,
  add column previous_expires_at timestamptz,
  add constraint operators_previous_key check (
    (previous_lookup is null) = (previous_expires_at is null) and (previous_lookup is null) = (previous_pepper is null)
  );

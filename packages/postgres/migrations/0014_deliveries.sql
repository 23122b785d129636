-- What sending deliveries needs: who looks after which endpoints, and attempts that cost an endpoint none of its retries.

-- While a delivery is leased its `next_at` is the lease's end: one that nobody records is due again by itself. Parked ones,
-- whose endpoint is off, wait at infinity.
alter table svc.deliveries add column uncharged_count integer not null default 0
  check (uncharged_count between 0 and attempt_count);

-- An endpoint belongs to the shard that its id hashes to. As a lane has its epoch, so has a shard: who was replaced stops.
create table svc.delivery_shards (
  drain text collate "C" not null,
  shard integer not null check (shard >= 0),
  epoch bigint not null default 0,
  awake boolean not null default false,
  -- When its drain last gave a sign of life.
  beat_at timestamptz,
  primary key (drain, shard)
);

grant select, insert, update on svc.delivery_shards to svc_webhooks;

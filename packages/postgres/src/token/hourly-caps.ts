import { type HourlyCap, isoTime, type TokenCap } from '@svc-pay/core';
import type pg from 'pg';

/** Called every second for caps that hardly ever change: writes only a cap that differs from the stored one. */
export async function recordHourlyCaps(
  pool: pg.Pool,
  network: string,
  caps: readonly TokenCap[],
  nowMs: number,
): Promise<void> {
  await pool.query({
    name: 'record-hourly-caps',
    text: `
      insert into svc.hourly_caps (network, asset, cap, changed_at)
      select $1, seen.asset, seen.cap, $4
      from unnest($2::text[], $3::numeric[]) as seen (asset, cap)
      left join svc.hourly_caps known on known.network = $1 and known.asset = seen.asset
      where known.asset is null or known.cap is distinct from seen.cap
      on conflict (network, asset) do update set cap = excluded.cap, changed_at = excluded.changed_at`,
    values: [
      network,
      caps.map(({ asset }) => asset),
      caps.map(({ capAtomic }) => capAtomic?.toString() ?? null),
      isoTime(nowMs),
    ],
  });
}

/** Hourly caps of every token whose cap the settlement service has read. */
export async function findHourlyCaps(pool: pg.Pool): Promise<readonly HourlyCap[]> {
  const { rows } = await pool.query<{ network: string; asset: string; cap: string }>({
    name: 'find-hourly-caps',
    text: 'select network, asset, cap::text from svc.hourly_caps where cap is not null',
  });
  return rows.map(({ network, asset, cap }) => ({ network, asset, capAtomic: BigInt(cap) }));
}

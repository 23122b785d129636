// A lane's obstacle, its relayer's condition and its next nonce,
// as its process finds them. Each write is fenced by epoch.
import { GIVEN_UP_BATCH, isoTime, type LaneLease, type LaneObstacle, PENDING_BATCH } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';

const OBSTACLE = {
  name: 'lane-note-obstacle',
  text: `
    update svc.relayers
    set obstacle = $4, obstacle_since = case when $4::text is null then null else $5::timestamptz end, updated_at = $5
    where network = $1 and address = $2 and epoch = $3 and obstacle is distinct from $4`,
};

export async function noteObstacle(
  pool: pg.Pool,
  { network, relayer, epoch }: LaneLease,
  obstacle: LaneObstacle | null,
  nowMs: number,
): Promise<void> {
  await pool.query({ ...OBSTACLE, values: [network, relayer, epoch.toString(), obstacle, isoTime(nowMs)] });
}

const UNFIT = {
  name: 'lane-note-unfit',
  text: `
    update svc.relayers set condition = $4, updated_at = $5
    where network = $1 and address = $2 and epoch = $3`,
};

export async function noteUnfit(
  pool: pg.Pool,
  { network, relayer, epoch }: LaneLease,
  condition: 'empty' | 'not_allowed',
  nowMs: number,
): Promise<void> {
  await pool.query({ ...UNFIT, values: [network, relayer, epoch.toString(), condition, isoTime(nowMs)] });
}

// Advances the nonce only if the lane has no pending batch, and
// no batch at or after `from` except replaced or dropped ones.
const ADVANCE = {
  name: 'lane-advance-nonce',
  text: `
    update svc.relayers lane set next_nonce = $5, updated_at = $6
    where network = $1 and address = $2 and epoch = $3 and next_nonce = $4
      and not exists (
        select from svc.batches b
        where b.network = lane.network and b.relayer = lane.address
          and (b.status ${sqlIs(...PENDING_BATCH)} or (b.nonce >= $4 and b.status ${sqlIsNot(...GIVEN_UP_BATCH)}))
      )`,
};

export async function advanceNonce(
  pool: pg.Pool,
  { network, relayer, epoch }: LaneLease,
  from: bigint,
  to: bigint,
  nowMs: number,
): Promise<void> {
  const values = [network, relayer, epoch.toString(), from.toString(), to.toString(), isoTime(nowMs)];
  await pool.query({ ...ADVANCE, values });
}

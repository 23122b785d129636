// The `awake` flag of lanes. The process that turns it on starts the lane through the engine; an awake lane finds new
// work by itself. A claim wakes in one statement every lane that a queued payment is work for by `laneHasWork` of core,
// except a draining lane that the payment is bound to: the reconciler finds that one.
import { type Lane, RELAYER_STATUS } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';

const MARK_AWAKE = {
  name: 'mark-awake',
  text: `
    update svc.relayers set awake = true
    where network = $1 and status ${sqlIs(RELAYER_STATUS.active)} and duty = 'settle' and not awake
    returning address`,
};
const MARK_ASLEEP = {
  name: 'mark-asleep',
  text: 'update svc.relayers set awake = false where network = $1 and address = $2',
};

/** Returns only the lanes that this call marked awake. */
export async function markAwake(pool: pg.Pool, network: NetworkId): Promise<readonly Lane[]> {
  const { rows } = await pool.query<{ address: string }>({ ...MARK_AWAKE, values: [network] });
  return rows.map(({ address }) => ({ network, relayer: address }));
}

export async function markAsleep(pool: pg.Pool, { network, relayer }: Lane): Promise<void> {
  await pool.query({ ...MARK_ASLEEP, values: [network, relayer] });
}

import {
  type Lane,
  type LaneObstacle,
  type LaneWork,
  PENDING_BATCH,
  type RelayerStatus,
  SETTLEMENT_STATUS,
  STRANDED_STATUS,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { dueRefund } from './refund-items.ts';

const QUEUED = sqlIs(SETTLEMENT_STATUS.queued);
/** A refund that waits for its next try is no work until then: the reconciler finds it when it is. */
const DUE_REFUND = dueRefund('now()');

// A transfer with action `hold` waits for the merchant, not for a lane.
const LOAD_WORK = {
  name: 'load-lane-work',
  text: `
    select lane.network, lane.address, lane.status, lane.obstacle,
      exists (
        select from svc.batches b
        where b.network = lane.network and b.relayer = lane.address and b.status ${sqlIs(...PENDING_BATCH)}
      ) as "hasPendingBatch",
      exists (
        select from svc.settlements s
        where s.network = lane.network and s.status ${QUEUED} and s.bound_relayer = lane.address
      ) or exists (
        select from svc.refunds r where r.network = lane.network and ${DUE_REFUND} and bound_relayer = lane.address
      ) as "hasBoundPayment",
      case lane.duty
        when 'resolve_stranded' then exists (
          select from svc.stranded_transfers r
          where r.network = lane.network and r.status ${sqlIs(STRANDED_STATUS.queued)} and r.action <> 'hold'
        )
        else exists (
          select from svc.settlements s
          where s.network = lane.network and s.status ${QUEUED} and s.bound_relayer is null
        ) or exists (
          select from svc.refunds r where r.network = lane.network and ${DUE_REFUND} and bound_relayer is null
        )
      end as "hasSharedItem"
    from unnest($1::text[], $2::text[]) as asked (network, address)
    join svc.relayers lane on lane.network = asked.network and lane.address = asked.address`,
};

type WorkRow = Omit<LaneWork, 'status' | 'obstacle'> & {
  readonly network: NetworkId;
  readonly address: string;
  readonly status: RelayerStatus;
  readonly obstacle: LaneObstacle | null;
};

/** A lane that the database does not know is left out. */
export async function loadLaneWork(
  pool: pg.Pool,
  lanes: readonly Lane[],
): Promise<readonly { readonly lane: Lane; readonly work: LaneWork }[]> {
  if (lanes.length === 0) return [];
  const { rows } = await pool.query<WorkRow>({
    ...LOAD_WORK,
    values: [lanes.map(({ network }) => network), lanes.map(({ relayer }) => relayer)],
  });
  return rows.map(({ network, address, ...work }) => ({ lane: { network, relayer: address }, work }));
}

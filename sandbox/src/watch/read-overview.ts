import { type BatchStatus, INTENT_STATUS, PENDING_BATCH } from '@svc-pay/core';
import { listIntents, readLanes, type SeenIntent, type SeenLane, type View } from '@svc-pay/postgres/view';
import type { ShownIntent, ShownLane, ShownWorld } from './overview.ts';

const BATCHES_PER_LANE = 12;
const INTENTS = 40;
const BUSY_PAUSE_MS = 250;
const CALM_PAUSE_MS = 1_000;
const PENDING: ReadonlySet<BatchStatus> = new Set(PENDING_BATCH);

export async function readOverview({ pool }: View, accountId: string): Promise<ShownWorld> {
  const [{ lanes, waiting }, intents] = await Promise.all([
    readLanes(pool, BATCHES_PER_LANE),
    listIntents(pool, { accountId, mode: 'test', limit: INTENTS }),
  ]);
  return { lanes: lanes.map(shownLane), ...waiting, intents: intents.map(shownIntent) };
}

/** Polls more often while something changes. */
export function overviewPauseMs({ lanes, queued, intents }: ShownWorld): number {
  const isPendingBatch = lanes.some(({ batches }) => batches.some(({ status }) => PENDING.has(status)));
  const isBusy = isPendingBatch || queued > 0 || intents.some(({ status }) => status === INTENT_STATUS.processing);
  return isBusy ? BUSY_PAUSE_MS : CALM_PAUSE_MS;
}

const shownLane = ({ relayer, condition, awake, batches }: SeenLane): ShownLane => ({
  relayer,
  condition,
  awake,
  batches: batches.map(({ id, nonce, status, itemCount }) => ({ id, nonce, status, itemCount })).reverse(),
});

const shownIntent = ({ id, status, isUpto, amount, description, createdAt }: SeenIntent): ShownIntent => ({
  id,
  status,
  isUpto,
  amountAtomic: amount,
  description: description ?? 'a payment',
  createdAt: createdAt.toISOString(),
});

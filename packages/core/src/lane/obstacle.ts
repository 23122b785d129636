// An obstacle stops a lane at once. What follows from it waits, because a short obstacle is only a node that is some
// blocks behind, or a reorg whose batch is about to be pending again.

/**
 * An obstacle stops a lane until chain and database agree again. `nonce_behind`: no batch is pending, and the chain
 * expects an earlier nonce than the lane would use. `nonce_gap`: the chain expects an earlier nonce than the pending
 * batches have.
 */
export type LaneObstacle = 'nonce_behind' | 'nonce_gap';

/** Other lanes take the share of the queue soon: a wrong guess costs nothing, and payments wait meanwhile. */
const SHARE_LOST_AFTER_MS = 3_000;
/** The network is withdrawn later: a wrong guess costs merchants sales, and other lanes take the share first. */
const WITHDRAWN_AFTER_MS = 5_000;

/** `obstacleMs` is the age of the lane's obstacle; null when it has none. */
export function losesShare(obstacleMs: number | null): boolean {
  return obstacleMs !== null && obstacleMs >= SHARE_LOST_AFTER_MS;
}

/** Whether the lane counts as unable to send when its network's health is judged. */
export function countsForHealth(obstacleMs: number | null): boolean {
  return obstacleMs !== null && obstacleMs >= WITHDRAWN_AFTER_MS;
}

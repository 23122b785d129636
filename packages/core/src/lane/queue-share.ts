// Divides the queue of a network among its relayers. Every lane computes its own share from the same rows, so that no
// payment is in two shares.
import type { QueueShare } from './lane-store.ts';
import { isFit, type RelayerCondition } from './network-health.ts';
import { losesShare } from './obstacle.ts';
import type { RelayerDuty } from './relayer.ts';
import type { RelayerStatus } from './relayer-transitions.ts';

export type SharingRelayer = {
  /** Normalized. */
  readonly address: string;
  readonly duty: RelayerDuty;
  readonly status: RelayerStatus;
  readonly condition: RelayerCondition;
  /** Close to the hourly cap of some token. */
  readonly capped: boolean;
  /** Age of the lane's obstacle; null when it has none. */
  readonly obstacleMs: number | null;
};

/**
 * The active relayers of one duty that can send share the queue, in the order of their addresses. A relayer at its
 * hourly cap gets a share only if all of them are. Undefined: the others take the whole queue.
 */
export function queueShareOf(address: string, relayers: readonly SharingRelayer[]): QueueShare | undefined {
  const duty = relayers.find((relayer) => relayer.address === address)?.duty;
  const able = relayers.filter((relayer) => relayer.duty === duty && canSend(relayer));
  const uncapped = able.filter(({ capped }) => !capped);
  const sharing = (uncapped.length > 0 ? uncapped : able).map((relayer) => relayer.address).toSorted();
  const index = sharing.indexOf(address);
  return index < 0 ? undefined : { index, count: sharing.length };
}

function canSend({ status, condition, obstacleMs }: SharingRelayer): boolean {
  return status === 'active' && isFit(condition) && !losesShare(obstacleMs);
}

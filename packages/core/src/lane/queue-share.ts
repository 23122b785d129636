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
 * hourly cap gets a share only if all of them are. If none can send through the processor, those without its role share
 * the queue: they carry the direct payments of it. Undefined: the others take the whole queue.
 */
export function queueShareOf(address: string, relayers: readonly SharingRelayer[]): QueueShare | undefined {
  const duty = relayers.find((relayer) => relayer.address === address)?.duty;
  const ofDuty = relayers.filter((relayer) => relayer.duty === duty && isAtWork(relayer));
  const fit = ofDuty.filter(({ condition }) => isFit(condition));
  const able = fit.length > 0 ? fit : ofDuty.filter(({ condition }) => condition === 'not_allowed');
  const uncapped = able.filter(({ capped }) => !capped);
  const sharing = (uncapped.length > 0 ? uncapped : able).map((relayer) => relayer.address).toSorted();
  const index = sharing.indexOf(address);
  return index < 0 ? undefined : { index, count: sharing.length };
}

function isAtWork({ status, obstacleMs }: SharingRelayer): boolean {
  return status === 'active' && !losesShare(obstacleMs);
}

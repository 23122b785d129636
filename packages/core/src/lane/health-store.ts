// Reads of the chain and the database by which a network's health is judged.
import type { NetworkId } from '@svc-pay/protocol';
import type { DeploymentDifference, LaneFacts, RelayerCondition, WithdrawalReason } from './network-health.ts';

export type RelayerFitness = {
  readonly relayer: string;
  /** In the smallest unit of the chain's own coin. */
  readonly balanceWei: bigint;
  readonly condition: RelayerCondition;
  readonly capped: boolean;
};

/** Hourly cap of one relayer for a token; undefined for a token that the processor does not take. */
export type TokenCap = { readonly asset: string; readonly capAtomic: bigint | undefined };

/** Reads from the chain whether relayers can send. Throws `ChainUnavailable` and `DeploymentDiffers`. */
export type ReadFitness = (relayers: readonly string[]) => Promise<{
  readonly paused: boolean;
  readonly relayers: readonly RelayerFitness[];
  readonly difference?: DeploymentDifference | null;
  /** Caps by quorum, read once a minute. Empty before the first read. */
  readonly caps: readonly TokenCap[];
}>;

/** The chain has another processor than the configuration, so it can't be asked about relayers. */
export class DeploymentDiffers extends Error {
  override readonly name = 'DeploymentDiffers';
  readonly difference: DeploymentDifference;

  constructor(difference: DeploymentDifference) {
    super(difference);
    this.difference = difference;
  }
}

export type HealthStore = {
  readonly listRelayerAddresses: (network: NetworkId) => Promise<readonly string[]>;
  /** Returns the relayers whose condition changed, with the condition before. */
  readonly recordFitness: (
    network: NetworkId,
    relayers: readonly RelayerFitness[],
    nowMs: number,
  ) => Promise<readonly { readonly relayer: string; readonly before: string; readonly now: string }[]>;
  readonly recordHourlyCaps: (network: NetworkId, caps: readonly TokenCap[], nowMs: number) => Promise<void>;
  /** Facts about the active lanes and the common queue. */
  readonly loadLaneFacts: (
    network: NetworkId,
    nowMs: number,
  ) => Promise<{ readonly lanes: readonly LaneFacts[]; readonly oldestQueuedMs: number | null }>;
  /** True when the recorded health changed. */
  readonly recordHealth: (network: NetworkId, reason: WithdrawalReason | null) => Promise<boolean>;
};

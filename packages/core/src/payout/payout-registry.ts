// Payouts as in a chain's registry, and the database port of the registry watcher.
import type { Split } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { Payout } from './payout.ts';

/** The payout registry of one processor contract. */
export type Registry = { readonly network: NetworkId; readonly processor: string };

export type RegisteredPayout = {
  readonly network: string;
  readonly processor: string;
  readonly payoutId: bigint;
  readonly status: 'active' | 'disabled';
  /** Null when the payout was found registered without its transaction being known. */
  readonly transactionId: string | null;
  /** Undefined when the registry only says that the payout was disabled. */
  readonly terms?: { readonly merchant: string; readonly feeBps: number; readonly splits: readonly Split[] };
};

/** `differs`: the registry has other terms than the database, which keeps its own. */
export type MirroredPayout = 'changed' | 'same' | 'unknown' | 'differs';

/** How far the logs of a registry are followed, and how far the reading of all its payouts has got. */
export type RegistryPosition = {
  /** Payouts that logs up to this block name have been read since. */
  readonly blockNumber: bigint;
  readonly sweepBeganAtMs: number;
  /** The payout up to which the sweep has got; null when it is at its end. */
  readonly sweepAfter: bigint | null;
};

/**
 * Payouts that may still change: of all but the disabled ones `all`, those of the ids, or the `uncompared`: those that are
 * pending, or that a person wrote since they were last compared with the registry.
 */
export type PayoutsToMirror = 'all' | 'uncompared' | readonly bigint[];

export type PayoutRegistryStore = {
  /** In pages by id. */
  readonly loadPayoutsToMirror: (
    registry: Registry,
    which: PayoutsToMirror,
    after: bigint,
    limit: number,
  ) => Promise<readonly Payout[]>;
  /** One transaction. Applies the registry's state to the payout's row. */
  readonly mirrorPayout: (registered: RegisteredPayout, nowMs: number) => Promise<MirroredPayout>;
  /** The payouts are as the registry has them. */
  readonly markCompared: (registry: Registry, payouts: readonly Payout[]) => Promise<void>;
  readonly loadRegistryPosition: (registry: Registry) => Promise<RegistryPosition | undefined>;
  readonly saveRegistryPosition: (registry: Registry, position: RegistryPosition) => Promise<void>;
};

// Payouts as in a chain's registry, and the database port of the registry watcher.
import type { Split } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';

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

export type PayoutRegistryStore = {
  /** Ids of payouts that may still change: all but the disabled ones, in pages by id. */
  readonly loadPayoutsToMirror: (
    network: NetworkId,
    processor: string,
    after: bigint,
    limit: number,
  ) => Promise<readonly bigint[]>;
  /** One transaction. Applies the registry's state to the payout's row. */
  readonly mirrorPayout: (registered: RegisteredPayout, nowMs: number) => Promise<MirroredPayout>;
};

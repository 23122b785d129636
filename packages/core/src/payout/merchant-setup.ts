// Tokens that an account takes, and the payouts that receive the money.

import type { UsdMicros } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { ConfirmationPolicy } from '../token/confirmations.ts';

export type ActivePayout = {
  readonly network: NetworkId;
  readonly payoutId: bigint;
  /** Off EVM: recipient of the platform's fee. */
  readonly processor: string;
  readonly merchant: string;
};

export type MerchantSetup = {
  readonly enabledTokens: ReadonlySet<string>;
  /** Payouts that are active on chain; new intents use the newest of a network and processor. */
  readonly payouts: readonly ActivePayout[];
  readonly uptoDefaultTimeoutSeconds: number;
  readonly uptoMaxTimeoutSeconds: number;
  /** Smallest payment of this account; a higher minimum of the network overrides it. Null for none. */
  readonly minimumUsdMicros: UsdMicros | null;
};

/** The operator's setup of a network. A network without a setup can't be offered. */
export type NetworkSetup = {
  /** Off EVM there is no contract: the field holds the recipient of the platform's fee, without a version. */
  readonly processor: string;
  readonly processorVersion?: string;
  /** False while no relayer can pay, so that no acceptance is offered that can't be settled. */
  readonly ready: boolean;
  readonly rpcUrlPublic?: string;
  /** Default: one confirmation. */
  readonly confirmations?: ConfirmationPolicy;
  /** Smallest payment that is offered on this network. Absent: none. */
  readonly minimumUsdMicros?: UsdMicros;
  /** Seconds between two blocks. Default: the chain's known value. */
  readonly blockSeconds?: number;
};

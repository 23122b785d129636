// What an account may be paid in, and where the money goes.

import type { UsdMicros } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { ConfirmationPolicy } from './confirmations.ts';

export type ActivePayout = {
  readonly network: NetworkId;
  readonly payoutId: bigint;
  /** Off EVM: who gets the platform's fee. */
  readonly processor: string;
  readonly merchant: string;
};

export type MerchantSetup = {
  readonly enabledTokens: ReadonlySet<string>;
  /** Payouts that are active on chain; the newest of a network and processor is used for new intents. */
  readonly payouts: readonly ActivePayout[];
  readonly uptoDefaultTimeoutSeconds: number;
  readonly uptoMaxTimeoutSeconds: number;
  /** Smallest payment offered by X402; null for none. */
  readonly minimumUsdMicros: UsdMicros | null;
};

/** What the operator runs on a network. A network that is missing here can't be offered. */
export type NetworkSetup = {
  /** Off EVM there is no contract: who gets the platform's fee stands in its place, without a version. */
  readonly processor: string;
  readonly processorVersion?: string;
  /** False while no relayer can pay, so that no new acceptance promises what can't be kept. */
  readonly ready: boolean;
  readonly rpcUrlPublic?: string;
  /** One block unless told. */
  readonly confirmations?: ConfirmationPolicy;
};

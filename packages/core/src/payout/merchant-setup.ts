// Tokens that an account takes, and the payouts that receive the money.

import type { Split, UsdMicros } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { MetadataKey } from '../listing/metadata-key.ts';
import type { ConfirmationPolicy } from '../token/confirmations.ts';
import type { PayoutActivation } from './activation.ts';

export type ActivePayout = {
  readonly network: NetworkId;
  readonly payoutId: bigint;
  /** Off EVM: recipient of the platform's fee; the merchant itself where the network has none. */
  readonly processor: string;
  readonly merchant: string;
  readonly feeBps: number;
  readonly splits: readonly Split[];
  /** Set for a direct payout; `processor` and `merchant` are the wallet then. */
  readonly direct?: DirectPayout;
};

export type DirectPayout = {
  /** Null only where `activation` is undefined: then the payout may be of any token. */
  readonly asset: string | null;
  /** Undefined for a row that is not of the form that we write: no other payout takes its place. */
  readonly activation: PayoutActivation | undefined;
  /** New intents use the payout from this time on. */
  readonly activeFromMs: number;
  /** The chain reader has begun with the token: from now on it finds every use of an authorization. */
  readonly readable: boolean;
};

export type MerchantSetup = {
  readonly enabledTokens: ReadonlySet<string>;
  /** Payouts that are active on chain; new intents use the newest of a network and processor. */
  readonly payouts: readonly ActivePayout[];
  readonly uptoDefaultTimeoutSeconds: number;
  readonly uptoMaxTimeoutSeconds: number;
  /** Smallest payment of this account; a higher minimum of the network overrides it. Null for none. */
  readonly minimumUsdMicros: UsdMicros | null;
  /** Sellers of the account may name the processor as their `payTo`. Absent: only a wallet of the account. */
  readonly takesProcessor?: boolean;
  /** Metadata by which the account finds its intents. Absent: none. */
  readonly metadataKeys?: readonly MetadataKey[];
};

/** The operator's setup of a network. A network without a setup can't be offered. */
export type NetworkSetup = {
  /** Off EVM there is no contract: the field holds the recipient of the platform's fee, without a version. */
  readonly processor: string;
  /** Payers pay the merchant with nothing between. `processor` is empty, and that of each payout is its merchant. */
  readonly paysMerchant?: true;
  readonly processorVersion?: string;
  /** False where the operator offers nothing, or the API has no node to verify signatures by. */
  readonly ready: boolean;
  /** What is not offered now; absent where all is. */
  readonly withdrawn?: WithdrawnPart;
  readonly rpcUrlPublic?: string;
  /** Default: one confirmation. */
  readonly confirmations?: ConfirmationPolicy;
  /** Smallest payment that is offered on this network. Absent: none. */
  readonly minimumUsdMicros?: UsdMicros;
  /** Seconds between two blocks. Default: the chain's known value. */
  readonly blockSeconds?: number;
};

/**
 * What is not offered on a network now. `headers`: what a relayer would send; the regular flow is offered. `processor`: what
 * goes through the processor. `processor_headers`: what a relayer would send through the processor.
 */
export type WithdrawnPart = 'all' | 'headers' | 'processor' | 'processor_headers';

// Database port for preparing and verifying payments by signed transactions.
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { PreparedTransaction } from './payment-family.ts';

export type StoredPayout = {
  readonly merchant: string;
  /** Recipient of the platform's fee. */
  readonly feeRecipient: string;
  readonly feeBps: number;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
};

export type PayoutName = {
  readonly network: NetworkId;
  readonly payoutId: bigint;
  readonly merchant: string;
  /** Preferred fee recipient, where the payout id exists for several. */
  readonly feeRecipient: string;
};

export type TransferStores = {
  /** Returns the stored row, which may be one that a concurrent call prepared. */
  readonly storePrepared: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    prepared: PreparedTransaction,
  ) => Promise<PreparedTransaction>;
  /** One row for each acceptance that the transaction was prepared for. */
  readonly findPrepared: (
    caller: Caller,
    intentId: Id<'paymentIntent'>,
    payer: string,
    blockhash: string,
  ) => Promise<readonly PreparedTransaction[]>;
  readonly loadStoredPayout: (caller: Caller, name: PayoutName) => Promise<StoredPayout | undefined>;
  /** A relayer that can pay now; of several, always the same for one intent, or one refund. */
  readonly chooseRelayer: (
    caller: Pick<Caller, 'mode'>,
    network: NetworkId,
    intentId: string,
  ) => Promise<string | undefined>;
  /** Whether this relayer still pays for transactions that name it. */
  readonly isSettlingRelayer: (caller: Pick<Caller, 'mode'>, network: NetworkId, relayer: string) => Promise<boolean>;
};

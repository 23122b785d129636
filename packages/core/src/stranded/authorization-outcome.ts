// What the chain shows of an authorization that was used.
import type { LaneItem } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import type { AuthorizationKind } from '../payment/claim-payment.ts';

export type TracedAuthorization = {
  readonly asset: string;
  readonly processor: string;
  readonly payer: string;
  /** 0x-hex, 32 bytes. */
  readonly nonce: string;
  readonly kind: AuthorizationKind;
  readonly capAtomic: bigint;
  /** Time of the claim: the authorization was unused then. */
  readonly claimedAtSeconds: bigint;
  /** The payment of the authorization; null while an up-to authorization has none. */
  readonly item: LaneItem | null;
  /** Every transaction ever signed for the payment: their receipts are read before logs are searched. */
  readonly signedTransactionIds?: readonly string[];
};

export type AuthorizationOutcome =
  /** The processor's event says that this transaction settled the payment. */
  | { readonly outcome: 'settled'; readonly mined: MinedBatch }
  /** The money reached the processor and nothing was settled. `logIndex` is the token's transfer. */
  | { readonly outcome: 'stranded'; readonly transactionId: string; readonly logIndex: number }
  /** Canceled, or the nonce was used without the money reaching the processor. A permit leaves no log of that. */
  | { readonly outcome: 'burned'; readonly transactionId: string | null }
  /** The authorization is unused, and another one settled its intent. */
  | { readonly outcome: 'preempted'; readonly transactionId: string }
  /** No log since the claim mentions the authorization. */
  | { readonly outcome: 'untold' };

// A transaction of one of our keys, read back from the chain only. Its call contains every payment in full, so that all
// rows that were stored before it was sent can be stored again.
import type { NetworkId } from '@svc-pay/protocol';
import type { LaneItem } from '../lane/lane.ts';

/** A payment as encoded in the transaction's call. The chain does not know its account. */
export type CarriedPayment = Pick<
  LaneItem,
  | 'intentCode'
  | 'asset'
  | 'processor'
  | 'kind'
  | 'byContract'
  | 'payer'
  | 'capAtomic'
  | 'settledAtomic'
  | 'validAfterSeconds'
  | 'validBeforeSeconds'
  | 'nonce'
  | 'signature'
> & {
  /** The payment went directly to the merchant's wallet, which is `processor`. */
  readonly direct?: true;
  readonly payoutId: bigint;
  /** Key under which the authorization is claimed; see `claimKey`. */
  readonly claimKey: Uint8Array;
};

/** A stranded transfer that the transaction settled or returned. The call of a return names neither intent nor payout. */
export type ResolvedStranding =
  | { readonly action: 'settle'; readonly carried: CarriedPayment }
  | { readonly action: 'return'; readonly carried: Omit<CarriedPayment, 'intentCode' | 'payoutId' | 'settledAtomic'> };

export type OnChainTransaction = {
  readonly network: NetworkId;
  /** Address that signed the transaction. */
  readonly relayer: string;
  readonly nonce: bigint;
  readonly transactionId: string;
  /** Empty for `other`. */
  readonly raw: Uint8Array;
  readonly blockNumber: bigint;
  /**
   * `settle`: it carries payments. `resolve_stranded`: it settles or returns stranded transfers. `refund`: it carries a
   * refund, which is found by its nonce when the next refund of its payment is prepared. `other`: another call, or one that
   * can't be decoded.
   */
  readonly form: 'settle' | 'resolve_stranded' | 'refund' | 'other';
  /** Of a `resolve_stranded` that was not reverted. */
  readonly resolved?: ResolvedStranding;
  /** All payments of the transaction, in call order. */
  readonly carried: readonly CarriedPayment[];
  /** The payments that settled, by the same evidence that a lane requires. */
  readonly settled: readonly CarriedPayment[];
};

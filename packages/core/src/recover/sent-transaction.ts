// A transaction that one of our keys once sent, read back from the chain alone: its call names every payment in full, so
// that what was claimed, signed and stored before it was sent can be stored again.
import type { NetworkId } from '@svc-pay/protocol';
import type { LaneItem } from '../lane/lane.ts';

/** A payment as the transaction's call spells it. Whose it is, the chain does not know. */
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
  readonly payoutId: bigint;
  /** The key under which its authorization is claimed, see `claimKey`. */
  readonly claimKey: Uint8Array;
};

export type SentTransaction = {
  readonly network: NetworkId;
  /** Who signed it. */
  readonly relayer: string;
  readonly nonce: bigint;
  readonly transactionId: string;
  /** Empty for `other`. */
  readonly raw: Uint8Array;
  readonly blockNumber: bigint;
  /**
   * `settle`: it carried payments. `recover`: it settled or returned stranded money. `other`: something else, or a call
   * that nobody here can read.
   */
  readonly form: 'settle' | 'recover' | 'other';
  /** All that it carried, in the order of the call. */
  readonly carried: readonly CarriedPayment[];
  /** Those of them that settled, by the same evidence that a lane asks for. */
  readonly settled: readonly CarriedPayment[];
};

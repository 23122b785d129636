// Logs that the chain reader reads: every money event of a processor, and the uses and cancellations of authorizations of
// tokens in which direct payments are made.

export type LogPosition = {
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly transactionId: string;
  /** Counted over the whole block. */
  readonly logIndex: number;
};

export type ProcessorLog = {
  /** `payment_received`: a payer called `pay()`. `payment_settled`: anybody settled an authorization. */
  readonly event: 'payment_settled' | 'payment_received';
  /** The processor, in lower case. */
  readonly address: string;
  readonly position: LogPosition;
  readonly intentCode: bigint;
  readonly payer: string;
  readonly asset: string;
  readonly payoutId: bigint;
  /** What the payer paid; of an up-to payment, what was settled. */
  readonly amountAtomic: bigint;
  readonly feeAtomic: bigint;
};

export type AuthorizationLog = {
  readonly event: 'authorization_used' | 'authorization_canceled';
  /** The token, in lower case. */
  readonly address: string;
  readonly position: LogPosition;
  readonly payer: string;
  /** 0x-hex, 32 bytes. */
  readonly nonce: string;
};

export type MoneyLog = ProcessorLog | AuthorizationLog;

export type TransferLog = {
  readonly logIndex: number;
  readonly from: string;
  readonly to: string;
  readonly valueAtomic: bigint;
};

/** What the receipt of a `payment_received` says of the money behind it. */
export type ReceivedLegs = {
  /** Log index of the token's transfer from the payer to the processor. */
  readonly transferLogIndex: number;
  /** Recipient of the platform's fee. */
  readonly feeRecipient: string;
  /** Recipients whose share could not be delivered; the processor keeps it for them. */
  readonly escrowedFor: readonly string[];
};

/** What follows the use of an authorization in the receipt of its transaction, as one node shows it. */
export type UseEvidence = {
  readonly transactionId: string;
  /** The block that the node's receipt names: the node has a vote only if it is the block of the use. */
  readonly blockHash: string;
  /** The token's very next log, if it is a transfer. */
  readonly transfer: TransferLog | undefined;
};

/** The receipt of a `payment_received`, as one node shows it. */
export type ReceivedEvidence = {
  readonly transactionId: string;
  /** As of `UseEvidence`. */
  readonly blockHash: string;
  readonly legs: ReceivedLegs;
};

/** Names the log for ever: one (transaction, log index) of a network proves one thing. */
export const logKey = ({ transactionId, logIndex }: LogPosition): string => `${transactionId} ${logIndex}`;

// Ports of leases.
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { PayerBudget } from '../budget/gas-budget.ts';
import type { IntentRecord } from '../intent/create-intent.ts';
import type { LeaseRequest, VerifyVerdict } from './judge-verify-lease.ts';
import type { AnswerMark, LeasedTerms, LeaseFacts, LeaseHolder } from './lease.ts';

/** The authorization that a call wants, as claims know it. */
export type LeasedAuthorization = {
  /** See `claimKey`. */
  readonly claimKey: Uint8Array;
  readonly network: NetworkId;
  /** Address of the token, in the catalogue's notation. */
  readonly asset: string;
  /** Normalized. */
  readonly payer: string;
};

export type LeaseOrder = LeaseRequest & LeasedTerms & LeasedAuthorization;

export type SettleOrder = LeaseHolder &
  LeasedTerms &
  LeasedAuthorization & {
    /** Number of the call; written only if the lease has the number before it. */
    readonly call: number;
    /** Its intent becomes the lease's. */
    readonly record: IntentRecord;
  };

export type ReturnOrder = LeasedTerms & {
  readonly claimKey: Uint8Array;
  /** Number of the call; written only if the lease has the number before it. */
  readonly call: number;
  readonly intentId: Id<'paymentIntent'>;
};

export type MarkedAnswer = {
  readonly claimKey: Uint8Array;
  /** Fence: the call that was answered. */
  readonly call: number;
  readonly answer: AnswerMark;
};

export type LoadedLease = LeaseFacts & {
  readonly payerBudget?: PayerBudget | undefined;
  /** By the clock of the database, which the times of all leases are of: clocks of processes differ. */
  readonly readAtMs: number;
};

export type LeaseStore = {
  /**
   * Reads the lease, the claim and the payer's exposure under a lock of payer and token, asks `judgeVerify` and writes the
   * lease that it grants. Two calls of one payer never read the same exposure. The time is the database's. Throws where the
   * lease was written so late that its answer might count as lost before it is given.
   */
  readonly leaseAuthorization: (order: LeaseOrder) => Promise<VerifyVerdict>;
  readonly loadLease: (wanted: LeasedAuthorization) => Promise<LoadedLease>;
  /** One statement: the lease with its next call, the intent, its acceptance and its event. False: the fence does not hold. */
  readonly beginSettle: (order: SettleOrder) => Promise<boolean>;
  /** Gives the lease this call. False: it has another number than the one before. */
  readonly takeOver: (claimKey: Uint8Array, call: number) => Promise<boolean>;
  /** Gives the lease this call, these terms and the intent that has the claim. False as for `takeOver`. */
  readonly returnLease: (order: ReturnOrder) => Promise<boolean>;
  /** Marks of calls that no longer have the lease change nothing. */
  readonly markAnswers: (marks: readonly MarkedAnswer[]) => Promise<void>;
};

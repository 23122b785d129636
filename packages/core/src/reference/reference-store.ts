// Ports of the reference reader to the database, and of the API that opens references.
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import type { CreditedMoney, UncreditedMoney } from '../reader/apply-store.ts';
import type { TokenMovement } from './token-movement.ts';

/** A key by which transactions that pay an intent are found. */
export type NewReference = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly intentId: Id<'paymentIntent'>;
  readonly intentCode: bigint;
  readonly network: NetworkId;
  readonly reference: string;
  /** Recipient of the platform's fee in the transactions that wallets are given. */
  readonly feeRecipient: string;
};

/**
 * Opens it, or has it read more often again. Returns the fee recipient with which it was opened first: transactions with that
 * may be on their way.
 */
export type OpenReference = (reference: NewReference, nowMs: number) => Promise<string>;

export type DueReference = NewReference & {
  /** End of the intent. */
  readonly expiresAtMs: number;
  /** When a wallet asked last. */
  readonly openedAtMs: number;
  /** The last transaction that is decided; null for none. */
  readonly cursor: string | null;
  /** Since when a transaction of it can't be decided. */
  readonly waitsSinceMs: number | null;
};

/** `surplusAtomic`: what the recipients got beyond the payment, because not all of them got their share of more: an unattributed receipt. */
export type AppliedMovement = (CreditedMoney & { readonly surplusAtomic?: string }) | UncreditedMoney;

export type ReadReference = {
  readonly cursor: string | null;
  readonly waitsSinceMs: number | null;
  /** When the reading began, if it decided all that was final; otherwise null. */
  readonly wholeSinceMs: number | null;
  /** Null: it is read for the last time. */
  readonly nextReadAtMs: number | null;
};

export type ReferenceStore = {
  /** Those whose time has come, the longest overdue first. */
  readonly loadDue: (network: NetworkId, nowMs: number, limit: number) => Promise<readonly DueReference[]>;
  /**
   * One transaction: judges the movement under the locks of the rows that it concerns and writes what it means. A transaction
   * counts once, for whichever intent it is applied to first. Applying it again changes nothing.
   */
  readonly apply: (reference: DueReference, movement: TokenMovement, nowMs: number) => Promise<AppliedMovement>;
  readonly noteRead: (reference: DueReference, read: ReadReference) => Promise<void>;
};

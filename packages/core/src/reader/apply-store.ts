// Port of the chain reader to the database for what a read log means. Only logs of finalized blocks come here, so nothing
// that is written here is ever reversed.
import type { NetworkId } from '@svc-pay/protocol';
import type { MoneyLog, ReceivedLegs, TransferLog } from './money-log.ts';

/** A log of a finalized block whose hash is still the one under which it was read. */
export type FinalLog = {
  readonly log: MoneyLog;
  readonly blockTimeSeconds: bigint;
  /** Of an `authorization_used`: the token's next log of that transaction, if it is a transfer. */
  readonly transfer: TransferLog | undefined;
  /** Of a `payment_received`: the rest of what its receipt says of it. */
  readonly received: ReceivedLegs | undefined;
};

/** Money that pays its intent, or a payment of its own: no payable intent asked for it, and no intent changed. */
export type CreditedMoney =
  | { readonly outcome: 'completed'; readonly intentId: string; readonly paymentId: string }
  | {
      readonly outcome: 'mismatched';
      readonly intentId: string;
      readonly paymentId: string;
      readonly reason: string;
    };

/** What becomes of money that was found on a chain, beside a payment. */
export type UncreditedMoney =
  /** A payment was completed with it before, by a lane or by an earlier attempt. */
  | { readonly outcome: 'recorded'; readonly paymentId: string }
  /** Money that pays no intent. It is stored and shown. */
  | { readonly outcome: 'unattributed'; readonly reason: string }
  /** It concerns no payment: nothing is stored. */
  | { readonly outcome: 'ignored'; readonly reason: string }
  /** Another process writes the same rows now. It is applied again later. */
  | { readonly outcome: 'waits'; readonly reason: 'locked' };

export type AppliedLog =
  | CreditedMoney
  | UncreditedMoney
  /** The authorization is canceled or was used for something else: its payment failed. */
  | { readonly outcome: 'failed'; readonly intentId: string; readonly paymentId: string; readonly reason: string }
  /** A lane completed a payment with this log, and the log says something else. It does not count as read. */
  | { readonly outcome: 'differs'; readonly paymentId: string; readonly reason: string }
  /** A stranger's transaction used an unbound authorization of a shared wallet: the payment is held for the merchant. */
  | { readonly outcome: 'held'; readonly intentId: string; readonly paymentId: string; readonly reason: string }
  /**
   * The log is kept, and applied again later. `lane`: the transaction is of a lane that has not recorded it, or a lane has
   * the payment in a batch; `payout`: whether the activation of the payout holds is not known, because its wallet cannot be
   * asked.
   */
  | { readonly outcome: 'waits'; readonly reason: 'lane' | 'payout' };

export type ApplyStore = {
  /**
   * Deletes logs with which a payment of the same terms was completed before, as lanes do, and adds them to `svc.batches.logs_read`, so
   * that a batch can be compared with what was read of it. Returns the others in their order: only for these `transfer`
   * and `received` need be read.
   */
  readonly dropRecorded: (network: NetworkId, logs: readonly MoneyLog[]) => Promise<readonly MoneyLog[]>;
  /**
   * One transaction: judges the log under the locks of the rows that it concerns, writes what it means, and deletes the
   * log unless it waits. Applying a log again changes nothing.
   */
  readonly applyLog: (network: NetworkId, final: FinalLog, nowMs: number) => Promise<AppliedLog>;
};

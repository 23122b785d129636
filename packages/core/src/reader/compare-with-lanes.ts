// The chain reader is an independent check of the lanes: for every payment that a lane completed the reader must have read
// a log that says the same, and no more. Each log is compared when it is applied; their number per batch, when the batch is
// final and the reader is past its block. A log that says something else does not count as read.
import { sameAddress } from '../token/address.ts';
import type { ProcessorLog } from './money-log.ts';

/** The payment that a lane completed with a log. Null where it is no longer stored. */
export type RecordedPayment = {
  readonly intentCode: bigint | null;
  readonly payer: string | null;
  readonly asset: string;
  readonly paidAtomic: bigint | null;
};

/** Names of the fields in which the log and the payment differ. */
export function differingFields(log: ProcessorLog, recorded: RecordedPayment): readonly string[] {
  const { intentCode, payer, asset, paidAtomic } = recorded;
  const differs = {
    intentCode: intentCode !== null && intentCode !== log.intentCode,
    payer: payer !== null && !sameAddress(payer, log.payer),
    asset: !sameAddress(asset, log.asset),
    amount: paidAtomic !== null && paidAtomic !== log.amountAtomic,
  };
  return Object.entries(differs).flatMap(([name, isOther]) => (isOther ? name : []));
}

export type BatchReading = {
  /** Payments that the batch completed. */
  readonly completed: number;
  /** Logs of the batch's transaction with which those payments were completed, as the reader read them. */
  readonly logsRead: number;
  /** Logs of the transaction that are read and not applied yet. */
  readonly waiting: number;
  /** Time since the batch became final. */
  readonly finalForMs: number;
};

/** The reader applies logs of final blocks within seconds; after an outage or a slow node it may take longer. */
export const COMPARED_AFTER_MS = 600_000;

/**
 * `missing`: a lane completed a payment, and no log says so. `surplus`: a log of the batch says that a payment settled, and
 * the batch completed fewer. `waits`: what is left to read or to record may still make them equal.
 */
export type LaneComparison = 'agrees' | 'waits' | 'missing' | 'surplus';

export function compareWithLanes({ completed, logsRead, waiting, finalForMs }: BatchReading): LaneComparison {
  if (waiting === 0 && logsRead === completed) return 'agrees';
  if (finalForMs < COMPARED_AFTER_MS) return 'waits';
  // A log that is never applied is told by its own alert; with it the numbers may still become equal.
  if (logsRead + waiting >= completed && logsRead <= completed && waiting > 0) return 'waits';
  return logsRead < completed ? 'missing' : 'surplus';
}

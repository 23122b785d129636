// Decides whether the processor's event in one of our transactions completes a held payment, and who bears the gas.
import type { MinedBatch } from '../lane/lane-chain.ts';
import { type GasLoss, liveLosses, reverseLosses } from '../ledger/gas-loss.ts';
import type { Booking } from '../ledger/ledger-entry.ts';
import type { HeldCompletion } from './stranded-store.ts';

export type HeldCompletionFacts = {
  /** Status of the payment's settlement; undefined if there is none. */
  readonly settlement: string | undefined;
  /** The batch that has the transaction; undefined if no batch has it. */
  readonly batch:
    | {
        readonly status: 'signed' | 'broadcast' | 'mined' | 'finalized' | 'replaced' | 'dropped';
        /** Transaction that the batch is recorded with; a fee bump may be another one. */
        readonly transactionId: string;
      }
    | undefined;
};

/** The payment is completed only from a recorded transaction: its batch is then bound to the settlement. */
export function decideHeldCompletion(
  { settlement, batch }: HeldCompletionFacts,
  mined: Pick<MinedBatch, 'transactionId' | 'items'>,
): HeldCompletion {
  const status = batch?.status;
  if (status === 'signed' || status === 'broadcast') return 'in_flight';
  const isRecorded = (status === 'mined' || status === 'finalized') && batch?.transactionId === mined.transactionId;
  if (!isRecorded) return 'unrecorded';
  if (settlement !== 'held') return 'in_flight';
  return mined.items[0]?.outcome === 'settled' ? 'completed' : 'unrecorded';
}

export type HeldGasFacts = {
  /** The batch is marked as booked. */
  readonly gasBooked: boolean;
  /** Another payment of the batch bears gas of the transaction: versions that set no mark booked so. */
  readonly gasInEntries: boolean;
  /** All gas losses of the batch. */
  readonly losses: readonly GasLoss[];
};

export type HeldGas = {
  /** The payment's share of the gas cost. */
  readonly gasAtomic: bigint;
  /** Rows that reverse the loss booked for the payment. */
  readonly losses: readonly GasLoss[];
};

/**
 * If the gas of the transaction is booked, the payment takes over only the loss that was booked for it; otherwise it
 * bears the whole cost.
 */
export function decideHeldGas(
  { gasBooked, gasInEntries, losses }: HeldGasFacts,
  paymentId: string,
  { gasCostAtomic }: Pick<MinedBatch, 'gasCostAtomic'>,
  booking: Booking,
): HeldGas {
  if (!gasBooked && !gasInEntries) return { gasAtomic: gasCostAtomic, losses: [] };
  const own = liveLosses(losses).filter((loss) => loss.paymentId === paymentId);
  return {
    gasAtomic: own.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n),
    losses: reverseLosses(own, booking),
  };
}

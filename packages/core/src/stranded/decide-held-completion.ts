// Decides whether the processor's event in one of our transactions completes a held payment, and who bears the gas.
import { type BatchStatus, PENDING_BATCH, RECORDED_BATCH } from '../lane/batch-transitions.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { type GasLoss, liveLosses, reverseLosses } from '../ledger/gas-loss.ts';
import type { Booking } from '../ledger/ledger-entry.ts';
import { SETTLEMENT_STATUS } from '../settlement/settlement-transitions.ts';
import type { HeldCompletion } from './stranded-store.ts';

export type HeldCompletionFacts = {
  /** Status of the payment's settlement; undefined if there is none. */
  readonly settlement: string | undefined;
  /** The batch that has the transaction; undefined if no batch has it. */
  readonly batch:
    | {
        readonly status: BatchStatus;
        /** Transaction that the batch is recorded with; a fee bump may be another one. */
        readonly transactionId: string;
      }
    | undefined;
};

const PENDING: ReadonlySet<BatchStatus> = new Set(PENDING_BATCH);
const RECORDED: ReadonlySet<BatchStatus> = new Set(RECORDED_BATCH);

/** The payment is completed only from a recorded transaction: its batch is then bound to the settlement. */
export function decideHeldCompletion(
  { settlement, batch }: HeldCompletionFacts,
  mined: Pick<MinedBatch, 'transactionId' | 'items'>,
): HeldCompletion {
  if (batch === undefined) return 'unrecorded';
  if (PENDING.has(batch.status)) return 'in_flight';
  if (!RECORDED.has(batch.status) || batch.transactionId !== mined.transactionId) return 'unrecorded';
  if (settlement !== SETTLEMENT_STATUS.held) return 'in_flight';
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

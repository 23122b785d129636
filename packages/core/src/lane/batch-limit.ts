// A payment whose transaction reverted as a whole is queued again at once, because its authorization may expire before
// the revert is final. That is safe: the processor settles an intent once and the token takes a nonce once, also if a
// reorg revives the first transaction.
import type { MinedItem } from './lane-chain.ts';

export type QueuedAgain = {
  /** Most payments in one transaction with this one. */
  readonly batchLimit: number;
  /** The payment is not sent before; null: at once. */
  readonly retryAtMs: number | null;
};

/** A pause, a cap or a role does not change from one block to the next. */
const REFUSED_WAIT_MS = 60_000;

/** Undefined when the payment is not queued again: it is settled, or waits until its block is final. */
export function queuedAgain(
  { outcome }: Pick<MinedItem, 'outcome'>,
  batchItems: number,
  nowMs: number,
): QueuedAgain | undefined {
  if (outcome !== 'reverted' && outcome !== 'refused_for_now') return undefined;
  return {
    batchLimit: Math.max(1, Math.floor(batchItems / 2)),
    retryAtMs: outcome === 'refused_for_now' ? nowMs + REFUSED_WAIT_MS : null,
  };
}

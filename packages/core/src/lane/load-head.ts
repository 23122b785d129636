// Reads as much of the common queue as fills the next transaction. Every payment that is read and left behind is read once more for the
// next transaction: with merchants whose payments need much gas, 200 were read for each 70 that left.
import { type LaneItem, transactionKey } from './lane.ts';
import type { SequencedChain } from './lane-chain.ts';
import type { SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease, QueueShare } from './lane-store.ts';

/** Most payments in one transaction. */
export const QUEUE_PEEK = 200;
/** Items read from the queue when its first items have several tokens, so one transaction can't include them all. */
const QUEUE_HEAD = 400;

export type QueueHead = {
  /** Oldest first. */
  readonly queue: readonly LaneItem[];
  /** Nothing is queued behind it. */
  readonly isWhole: boolean;
  /** It fills one transaction, and payments behind it were left out for that. */
  readonly isShort: boolean;
};

/**
 * How many payments filled the last full transaction of a lane. Kept in this process only: a wrong one costs a second read of the
 * queue and decides nothing.
 */
const filledLast = new WeakMap<SequencedChain, number>();
const FEWEST = 32;

type HeadDeps = { readonly store: Pick<SequencedLaneDeps['store'], 'loadQueue'>; readonly chain: SequencedChain };

export async function loadHead({ store, chain }: HeadDeps, lease: LaneLease, share: QueueShare): Promise<QueueHead> {
  // An eighth more, since payments differ in what they need.
  const few = Math.max(FEWEST, Math.ceil((filledLast.get(chain) ?? QUEUE_PEEK) * 1.125));
  if (few < QUEUE_PEEK) {
    const queue = await store.loadQueue(lease, share, few);
    if (queue.length < few) return { queue, isWhole: true, isShort: false };
    if (noteFilled(chain, queue)) return { queue, isWhole: false, isShort: true };
    filledLast.delete(chain);
  }
  const queue = await store.loadQueue(lease, share, QUEUE_PEEK);
  if (queue.length < QUEUE_PEEK) return { queue, isWhole: true, isShort: false };
  noteFilled(chain, queue);
  if (!isMixed(queue)) return { queue, isWhole: false, isShort: false };
  return { queue: await store.loadQueue(lease, share, QUEUE_HEAD), isWhole: false, isShort: false };
}

/** The whole head where a short one did not become a transaction. What was in the short one stays the same object. */
export async function loadOn(
  { store }: Pick<HeadDeps, 'store'>,
  lease: LaneLease,
  share: QueueShare,
  { queue }: QueueHead,
): Promise<QueueHead> {
  const all = await store.loadQueue(lease, share, QUEUE_HEAD);
  const known = new Set(queue.map(({ paymentId }) => paymentId));
  const behind = all.filter(({ paymentId }) => !known.has(paymentId));
  return { queue: [...queue, ...behind], isWhole: all.length < QUEUE_HEAD, isShort: false };
}

/** Whether these payments fill a transaction. A payment that goes alone tells nothing about others. */
function noteFilled(chain: SequencedChain, queue: readonly LaneItem[]): boolean {
  const { items, filled } = chain.fit(queue.filter(({ payout }) => !payout.withdrawn));
  if (filled < 1) return false;
  if (items.length > 1) filledLast.set(chain, items.length);
  return true;
}

const isMixed = (queue: readonly LaneItem[]) => new Set(queue.map(transactionKey)).size > 1;

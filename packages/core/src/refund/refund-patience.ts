// How long a refund that no lane sends may hold money of its payment.
import type { OpenRefund } from './refund-store.ts';

const HOUR_MS = 3_600_000;

/** How long a refund that nobody signed for us holds money: a node may be behind for hours, and no node for days. */
const MOST_WAITED_MS = 24 * HOUR_MS;
/** A node that was asked to send a transaction knows it at once. Who reports one that nobody sent holds money up. */
const MOST_UNKNOWN_MS = HOUR_MS;

type Waiting = Pick<OpenRefund, 'submittedAtMs' | 'createdAtMs'>;

const waitedMs = ({ submittedAtMs, createdAtMs }: Waiting, nowMs: number) => nowMs - (submittedAtMs ?? createdAtMs);

/** A reported transfer, or a refund that was found on chain, that no final block decided for a day. */
export const isLateRefund = (refund: Waiting, nowMs: number): boolean => waitedMs(refund, nowMs) > MOST_WAITED_MS;

/** A reported transaction that should be known by now. */
export const isOverdueReport = (refund: Waiting, nowMs: number): boolean => waitedMs(refund, nowMs) > MOST_UNKNOWN_MS;

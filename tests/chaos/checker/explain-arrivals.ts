// Which attempt an arrival belongs to. The log of attempts has to account for every arrival by itself: one request each, or
// two where it says that an open connection had been closed by the other side.
import type { Arrival, Attempt } from './evidence.ts';

export type Explained = {
  readonly arrivalsOf: ReadonlyMap<Attempt, readonly Arrival[]>;
  readonly unexplained: readonly Arrival[];
};

/** The beginning and the length of an attempt are two readings of clocks; a busy machine may do something else in between. */
const SLACK_MS = 250;
/** What was cut off may be read by the other side a little later. */
const LATE_MS = 1_500;

const LOST = /^the sender ended before it recorded/;
const SENT_TWICE = /sent again on a new one/;

export const isLost = ({ outcome, error }: Attempt): boolean => outcome === 'our_fault' && LOST.test(error ?? '');
const isAnswered = ({ outcome }: Attempt) => outcome === 'succeeded' || outcome === 'refused';

export function explainArrivals(attempts: readonly Attempt[], arrivals: readonly Arrival[]): Explained {
  const arrivalsOf = new Map<Attempt, Arrival[]>(attempts.map((attempt) => [attempt, []]));
  // The narrowest windows first: an answer, then what was cut off, then what nobody wrote down.
  const order = [
    ...attempts.filter(isAnswered),
    ...attempts.filter((attempt) => !isAnswered(attempt) && !isLost(attempt)),
    ...attempts.filter(isLost),
  ];
  const unexplained: Arrival[] = [];
  for (const arrival of arrivals) {
    const owner = order.find(
      (attempt) =>
        covers(attempt, arrival) && fits(attempt, arrival) && hasRoom(attempt, arrivalsOf.get(attempt) ?? []),
    );
    if (owner === undefined) unexplained.push(arrival);
    else arrivalsOf.get(owner)?.push(arrival);
  }
  return { arrivalsOf, unexplained };
}

/** Whether this is what the attempt says it was answered with: a sender that was frozen may send beside another. */
function fits(attempt: Attempt, { mood }: Arrival): boolean {
  if (!isAnswered(attempt)) return true;
  if (mood === 'cut') return SENT_TWICE.test(attempt.error ?? '');
  return attempt.outcome === 'refused' ? mood === 'broken' : mood === 'well' || mood === 'drip';
}

function hasRoom(attempt: Attempt, arrivals: readonly Arrival[]): boolean {
  if (arrivals.length === 0) return true;
  if (arrivals.length > 1) return false;
  // Who was cut off sends again on a new connection, and may die before it has written that down.
  return SENT_TWICE.test(attempt.error ?? '') || (isLost(attempt) && arrivals[0]?.mood === 'cut');
}

function covers(attempt: Attempt, { at }: Arrival): boolean {
  if (at < attempt.startedMs - SLACK_MS) return false;
  // A sender that was frozen may send when it wakes up: the end of a lost attempt is not known.
  if (isLost(attempt)) return true;
  return at <= attempt.startedMs + attempt.totalMs + (isAnswered(attempt) ? SLACK_MS : LATE_MS);
}

// How payments arrive: so many at once, each worker beginning when its last one is over; or so many a second, whatever the
// answers take.
import { closedLoop, type Finished, ROUNDS } from './closed-loop.ts';
import { arrivalsIn, openLoop } from './open-loop.ts';

export type Load =
  | { readonly kind: 'closed'; readonly concurrency: number }
  | { readonly kind: 'open'; readonly perSecond: number };

/** More are never open at once: who is due then waits, and the wait counts. */
const MOST_OPEN = 4_096;

export const atOnce = (concurrency: number): Load => ({ kind: 'closed', concurrency });

export function nameOfLoad(load: Load): string {
  return load.kind === 'closed' ? `${load.concurrency} at once` : `${load.perSecond} a second`;
}

/** Works to prepare: an open loop runs exactly its schedule, a closed one as many as there is time for. */
export function worksFor(load: Load, seconds: number, mostPerSecond: number): number {
  if (load.kind === 'open') return arrivalsIn(seconds * 1_000, load.perSecond);
  const { concurrency } = load;
  return Math.ceil(Math.min(concurrency * 2, mostPerSecond) * seconds) + concurrency * (ROUNDS + 1);
}

export function runLoad<Work, Answer>(
  load: Load,
  works: readonly Work[],
  forMs: number,
  run: (work: Work, slot: number) => Promise<Answer>,
): Promise<readonly Finished<Answer>[]> {
  return load.kind === 'closed'
    ? closedLoop(works, load.concurrency, forMs, run)
    : openLoop(works, load.perSecond, MOST_OPEN, run);
}

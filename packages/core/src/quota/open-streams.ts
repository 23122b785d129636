// Limits of open event streams over all processes. Each process tells the others how many it has open; between two rounds it
// opens at most its share of what is left.

export type StreamCount = {
  /** Open in this process. */
  readonly here: number;
  /** Open in the other processes, when they were last asked; undefined for a name that is new here. */
  readonly elsewhere: number | undefined;
  /** Opened here since the last round. */
  readonly opened: number;
};

/** Part of the limit that the processes together open under a name before they know of each other's streams. */
const UNKNOWN_PART = 0.1;

/**
 * What a process knows is up to a round old, while the others open streams too. With shares four times as small the count
 * approaches the limit and does not pass it.
 */
const PROCESSES_AHEAD = 4;

export function mayOpenStream({ here, elsewhere, opened }: StreamCount, limit: number, live: number): boolean {
  if (here + (elsewhere ?? 0) >= limit) return false;
  const isKnown = live === 1 || elsewhere !== undefined;
  const left = isKnown ? limit - (elsewhere ?? 0) - (here - opened) : limit * UNKNOWN_PART;
  return opened < Math.max(1, Math.ceil(live === 1 ? left : left / (live * PROCESSES_AHEAD)));
}

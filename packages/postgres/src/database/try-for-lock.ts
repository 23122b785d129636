import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 20;
const PAUSE_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Tries until a statement gets its locks. Every statement on the table waits behind one that waits for the table itself, so each
 * try gives up early (`lock_timeout`) and there are pauses between them: somebody who reads the table for hours, such as a
 * backup, delays partitions and not payments.
 */
export async function tryForLock<T>(stop: AbortSignal, statement: () => Promise<T>, tries = TRIES): Promise<T> {
  for (let left = tries; ; left -= 1) {
    stop.throwIfAborted();
    try {
      return await statement();
    } catch (problem) {
      if (left <= 1 || !isLocked(problem)) throw problem;
    }
    await sleep(PAUSE_MS);
  }
}

/** Another process has the lock, and the statement did not wait for it. */
export function isLocked(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && problem.code === LOCK_NOT_AVAILABLE;
}

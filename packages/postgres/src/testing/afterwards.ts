import { afterAll, onTestFinished } from 'vitest';

/** Runs `cleanUp` after the current test or, if called at the top of a file, after the file. */
export function afterwards(cleanUp: () => Promise<unknown>): void {
  const run = async () => void (await cleanUp());
  try {
    onTestFinished(run);
  } catch {
    // Called outside of a test.
    afterAll(run);
  }
}

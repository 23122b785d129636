import { afterAll, onTestFinished } from 'vitest';

/** Runs when the test that asked for it is done; asked for at the top of a file, when the file is. */
export function afterwards(cleanUp: () => unknown): void {
  const run = async () => void (await cleanUp());
  try {
    onTestFinished(run);
  } catch {
    // Outside of a test.
    afterAll(run);
  }
}

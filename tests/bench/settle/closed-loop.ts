// As many at once as asked for, each beginning its next when the last is over, until time is up and several rounds are done:
// a single wave that ends in one block has no rate.

export const ROUNDS = 5;
/** But never longer than this many times what was asked for. */
const PATIENCE = 3;

export type Finished<Answer> = { readonly startMs: number; readonly endMs: number; readonly answer: Answer };

export async function closedLoop<Work, Answer>(
  works: readonly Work[],
  concurrency: number,
  forMs: number,
  run: (work: Work, worker: number) => Promise<Answer>,
): Promise<readonly Finished<Answer>[]> {
  const finished: Finished<Answer>[] = [];
  const beganMs = performance.now();
  const enough = () => {
    const forSoFarMs = performance.now() - beganMs;
    return forSoFarMs >= forMs * PATIENCE || (forSoFarMs >= forMs && finished.length >= concurrency * ROUNDS);
  };
  let next = 0;
  const worker = async (_: unknown, index: number) => {
    while (!enough()) {
      const work = works[next++];
      if (work === undefined) return;
      const startMs = performance.now();
      const answer = await run(work, index);
      finished.push({ startMs, endMs: performance.now(), answer });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return finished;
}

// As many at once as asked for, each beginning its next when the last is over, until time or work is up.

export type Finished<Answer> = { readonly startMs: number; readonly endMs: number; readonly answer: Answer };

export async function closedLoop<Work, Answer>(
  works: readonly Work[],
  concurrency: number,
  forMs: number,
  run: (work: Work, worker: number) => Promise<Answer>,
): Promise<readonly Finished<Answer>[]> {
  const finished: Finished<Answer>[] = [];
  const untilMs = performance.now() + forMs;
  let next = 0;
  const worker = async (_: unknown, index: number) => {
    while (performance.now() < untilMs) {
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

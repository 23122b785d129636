import type { Progress } from '../../progress.ts';

/**
 * Rejects once a run has shown nothing new for `stillMs`. A limit on the whole run would measure the machine: one that is
 * busy with other work takes three times as long, and goes on.
 */
export async function unlessStill<Result>(
  stillMs: number,
  run: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const { promise: still, reject } = Promise.withResolvers<never>();
  let last = 'its start';
  const stop = () => reject(new Error(`nothing new for ${stillMs / 1_000} s after: ${last}`));
  const timer = setTimeout(stop, stillMs);
  const moved = (what: string) => {
    if (what === last) return;
    last = what;
    timer.refresh();
  };
  const progress: Progress = {
    show: (done, note) => moved(`${done} ${note}`),
    print: moved,
    end: () => {},
  };
  try {
    return await Promise.race([run(progress), still]);
  } finally {
    clearTimeout(timer);
  }
}

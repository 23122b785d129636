/**
 * Asks one after the other, the next when one fails or takes longer than `patienceMs`, and returns the first answer.
 * `onSlow` is called for each that took longer. Rejects with all errors when none answers.
 */
export function firstAnswer<Value>(
  asks: readonly (() => Promise<Value>)[],
  patienceMs: number,
  onSlow: (endpointIndex: number) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const problems: unknown[] = [];
    let started = 0;
    let timer: NodeJS.Timeout | undefined;
    const fail = (problem: unknown) => {
      problems.push(problem);
      if (started < asks.length) startNext();
      else if (problems.length === asks.length) {
        reject(new AggregateError(problems, 'nobody answered', { cause: problem }));
      }
    };
    const succeed = (value: Value) => {
      clearTimeout(timer);
      resolve(value);
    };
    const startNext = () => {
      clearTimeout(timer);
      const endpointIndex = started;
      const ask = asks[endpointIndex];
      if (ask === undefined) return;
      started += 1;
      if (started < asks.length) {
        timer = setTimeout(() => {
          onSlow(endpointIndex);
          startNext();
        }, patienceMs);
      }
      ask().then(succeed, fail);
    };
    startNext();
  });
}

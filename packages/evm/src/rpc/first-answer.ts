/**
 * Asks one after the other, the next when one fails or keeps us waiting, and takes the first answer. `onSlow` hears of
 * each that kept us waiting. Rejects with all the problems when none answers.
 */
export function firstAnswer<Value>(
  asks: readonly (() => Promise<Value>)[],
  patienceMs: number,
  onSlow: (place: number) => void,
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
      const place = started;
      const ask = asks[place];
      if (ask === undefined) return;
      started += 1;
      if (started < asks.length) {
        timer = setTimeout(() => {
          onSlow(place);
          startNext();
        }, patienceMs);
      }
      ask().then(succeed, fail);
    };
    startNext();
  });
}

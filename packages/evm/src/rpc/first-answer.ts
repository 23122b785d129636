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
    const answer = async (ask: () => Promise<Value>) => {
      const [told] = await Promise.allSettled([ask()]);
      if (told.status === 'fulfilled') {
        clearTimeout(timer);
        resolve(told.value);
        return;
      }
      problems.push(told.reason);
      if (started < asks.length) startNext();
      else if (problems.length === asks.length) reject(new AggregateError(problems));
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
      void answer(ask);
    };
    startNext();
  });
}

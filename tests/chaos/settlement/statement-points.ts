// Named statements of a process as places to stop at, before they reach the database and after their answer came. What gets
// there stays there.
import pg from 'pg';

export type StatementPoints<Point extends string> = {
  readonly pauseAt: (point: Point | 'nowhere') => void;
};

// A pool hands its statements over with a function to call at their end; a client of a transaction gets a promise.
type AtEnd = (problem: unknown, answer: unknown) => void;
type Query = (this: unknown, ...given: unknown[]) => unknown;

type Named = { readonly name: string; readonly values?: readonly unknown[] };

/** `stepOf`: by the name of the statement. `isMeant` says by its values whether it does what the step is about. */
export function createStatementPoints<Step extends string>(
  stepOf: Readonly<Record<string, Step>>,
  isMeant: (step: Step, values: readonly unknown[]) => boolean = () => true,
): StatementPoints<`${'before' | 'after'} ${Step}`> {
  let armed = 'nowhere';
  const pass = async (point: string): Promise<void> => {
    if (armed !== point) return;
    process.send?.({ held: [point] });
    await new Promise(() => {});
  };
  const stepIn = (statement: unknown): Step | undefined => {
    if (typeof statement !== 'object' || statement === null || !('name' in statement)) return undefined;
    const { name, values = [] } = statement as Named;
    const step = stepOf[name];
    return step !== undefined && isMeant(step, values) ? step : undefined;
  };
  const proto = pg.Client.prototype as unknown as { query: Query };
  const { query: ask } = proto;
  proto.query = function query(...given) {
    const step = armed === 'nowhere' ? undefined : stepIn(given[0]);
    if (step === undefined) return ask.apply(this, given);
    const place = given.findLastIndex((part) => typeof part === 'function');
    const atEnd = given[place] as AtEnd | undefined;
    const end = async (problem: unknown, answer: unknown) => {
      await pass(`after ${step}`);
      atEnd?.(problem, answer);
      return answer;
    };
    const run = async () => {
      await pass(`before ${step}`);
      if (atEnd === undefined) return end(undefined, await ask.apply(this, given));
      ask.apply(
        this,
        given.with(place, (problem: unknown, answer: unknown) => void end(problem, answer)),
      );
      return undefined;
    };
    return atEnd === undefined ? run() : void run();
  };
  return {
    pauseAt: (point) => {
      armed = point;
    },
  };
}

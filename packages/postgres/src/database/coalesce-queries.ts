// Coalesces queries of the same moment into one statement. No query is delayed for
// it: while fewer than `concurrent` statements run, each query goes immediately
// and by itself. Only queries that would have waited for a connection are joined.
import { isDatabaseAway } from './database-away.ts';

export type CoalesceOptions<Ask> = {
  /** Most statements that run concurrently. */
  readonly concurrent: number;
  /** Most queries in one statement. */
  readonly most: number;
  /** Queries with the same key never share a statement. */
  readonly keyOf?: (ask: Ask) => string;
};

type Waiting<Ask, Answer> = PromiseWithResolvers<Answer> & { readonly ask: Ask };

/**
 * `askAll` answers in the order of `asks`, which may be a single query. If it throws for several queries, each half is run
 * again, down to the faulty query, which fails only for its own caller: one in 256 costs 16 statements more, not 256.
 * A lost connection or a timeout is no query's fault: the group is run again once, as it is. Its first run may have committed,
 * so `askAll` must have the same effect and the same answers when the same group, or a half of it, is run again.
 */
export function coalesceQueries<Ask, Answer>(
  { concurrent, most, keyOf }: CoalesceOptions<Ask>,
  askAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (ask: Ask) => Promise<Answer> {
  let waiting: Waiting<Ask, Answer>[] = [];
  let running = 0;

  function takeNext(): readonly Waiting<Ask, Answer>[] {
    const keys = new Set<string>();
    const taken: Waiting<Ask, Answer>[] = [];
    const left: Waiting<Ask, Answer>[] = [];
    for (const one of waiting) {
      const key = keyOf?.(one.ask);
      const fits = taken.length < most && (key === undefined || !keys.has(key));
      (fits ? taken : left).push(one);
      if (fits && key !== undefined) keys.add(key);
    }
    waiting = left;
    return taken;
  }

  async function answerAll(asked: readonly Waiting<Ask, Answer>[], isRepeat = false): Promise<void> {
    try {
      const answers = await askAll(asked.map(({ ask }) => ask));
      if (answers.length !== asked.length)
        throw new Error(`a shared statement gave ${answers.length} answers to ${asked.length} questions`);
      for (const [index, answer] of answers.entries()) asked[index]?.resolve(answer);
    } catch (problem) {
      const isAway = isDatabaseAway(problem);
      if (asked.length === 1 || (isAway && isRepeat)) for (const one of asked) one.reject(problem);
      else if (isAway) await answerAll(asked, true);
      else {
        const middle = Math.ceil(asked.length / 2);
        await answerAll(asked.slice(0, middle), isRepeat);
        await answerAll(asked.slice(middle), isRepeat);
      }
    }
  }

  function pump(): void {
    while (running < concurrent && waiting.length > 0) {
      running += 1;
      void answerAll(takeNext()).finally(() => {
        running -= 1;
        pump();
      });
    }
  }

  return (ask) => {
    const one = { ...Promise.withResolvers<Answer>(), ask };
    waiting.push(one);
    pump();
    return one.promise;
  };
}

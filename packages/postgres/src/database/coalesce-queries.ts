// Coalesces queries of the same moment into one statement. No query is delayed for
// it: while fewer than `concurrent` statements run, each query goes immediately
// and by itself. Only queries that would have waited for a connection are joined.

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
 * `askAll` answers in the order of `asks`, which may be a single query. If it throws for several queries, each is run
 * again by itself, so that one faulty query fails only for its own caller.
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

  async function answerAll(asked: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await askAll(asked.map(({ ask }) => ask));
      if (answers.length !== asked.length)
        throw new Error(`a shared statement gave ${answers.length} answers to ${asked.length} questions`);
      for (const [index, answer] of answers.entries()) asked[index]?.resolve(answer);
    } catch (problem) {
      if (asked.length === 1) asked[0]?.reject(problem);
      else for (const one of asked) await answerAll([one]);
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

// Questions of the same moment share a statement. Nothing waits for company: while few statements are under way each
// question goes at once, alone, and only what would have had to wait for a connection anyway goes together.

export type GatherOptions<Ask> = {
  /** Statements under way at once. */
  readonly atOnce: number;
  /** Most questions of one statement. */
  readonly most: number;
  /** Those with the same key never share a statement. */
  readonly keyOf?: (ask: Ask) => string;
};

type Waiting<Ask, Answer> = PromiseWithResolvers<Answer> & { readonly ask: Ask };

/**
 * `askAll` answers in the order of its questions, and alone may be given a single one. Where it throws for several, each is
 * asked alone, so that one that is at fault fails for itself only.
 */
export function gatherAsks<Ask, Answer>(
  { atOnce, most, keyOf }: GatherOptions<Ask>,
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
      if (answers.length !== asked.length) throw new Error('an answer is missing');
      for (const [index, answer] of answers.entries()) asked[index]?.resolve(answer);
    } catch (problem) {
      if (asked.length === 1) asked[0]?.reject(problem);
      else for (const one of asked) await answerAll([one]);
    }
  }

  function pump(): void {
    while (running < atOnce && waiting.length > 0) {
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

// Several nodes of one engine. Whichever answered last is asked first; one that is out of reach, silent or broken is passed
// over for the next. What is asked here may therefore reach two nodes: it has to be harmless twice.

export type Reach = <Answer>(ask: (url: string) => Promise<Answer>) => Promise<Answer>;

/** The engine understood and said no; another node would say the same. */
export class EngineRefusal extends Error {}

/** Throws what the last node said when none answers. */
export function createReach(urls: readonly string[]): Reach {
  let preferred = 0;
  return async (ask) => {
    let problem: unknown = new Error('the engine has no address');
    const from = preferred;
    for (let tried = 0; tried < urls.length; tried += 1) {
      const index = (from + tried) % urls.length;
      try {
        const answer = await ask(urls[index] ?? '');
        preferred = index;
        return answer;
      } catch (trouble) {
        if (trouble instanceof EngineRefusal) throw trouble;
        problem = trouble;
      }
    }
    throw problem;
  };
}

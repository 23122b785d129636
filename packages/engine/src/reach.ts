// Calls one of several engine nodes. The node that answered last is asked first; a node that is out of reach, silent or
// broken is skipped for the next. A request may therefore reach two nodes and must be harmless when done twice.

export type Reach = <Answer>(ask: (url: string) => Promise<Answer>) => Promise<Answer>;

/** The engine understood the request and refused it; another node would refuse it too. */
export class EngineRefusal extends Error {}

/** When no node answers, the call throws the error of the last node. */
export function createReach(urls: readonly string[]): Reach {
  let preferred = 0;
  return async (ask) => {
    let problem: unknown = new Error('no address of the engine is configured');
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

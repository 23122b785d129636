// The chain by JSON-RPC alone, with nothing in between that could be wrong in the same way as what is checked.

export type AskChain = (
  calls: readonly (readonly [method: string, params: readonly unknown[]])[],
) => Promise<unknown[]>;

const AT_ONCE = 200;

export function createAskChain(rpcUrl: string): AskChain {
  const ask: AskChain = async (calls) => {
    const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answers = (await response.json()) as readonly { id: number; result?: unknown; error?: unknown }[];
    return calls.map(([method], id) => {
      const answer = answers.find((one) => one.id === id);
      if (answer === undefined || answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer)}`);
      return answer.result;
    });
  };
  return async (calls) => {
    const results: unknown[] = [];
    for (let from = 0; from < calls.length; from += AT_ONCE) {
      results.push(...(await ask(calls.slice(from, from + AT_ONCE))));
    }
    return results;
  };
}

// Anvil behind a proxy that answers as a provider's free plan was seen to: Alchemy bounds the range of a log query to ten
// blocks, refuses requests over its rate with 429 and one error for the whole batch, may answer a batch in any order, and its
// receipts of OP-stack chains have fields that Anvil's lack. What it refuses names the address with the key.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown };

export const PROVIDER_KEY = 'aB3dEfGh1JkLmN0pQrStUvWxYz012345';
const MAX_RANGE = 10n;
/** Every so many requests one is over the rate. */
const RATE = 6;

export type QuirkyProvider = { readonly url: string; readonly close: () => void };

export async function startQuirkyProvider(chainUrl: string): Promise<QuirkyProvider> {
  let requests = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const reply = async () => {
      requests += 1;
      if (request.url !== `/v2/${PROVIDER_KEY}`) return response.writeHead(401).end('{}');
      if (requests % RATE === 0) {
        const message = `Your app has exceeded its compute units per second capacity: https://base-sepolia.example/v2/${PROVIDER_KEY}`;
        return response.writeHead(429).end(JSON.stringify({ jsonrpc: '2.0', error: { code: 429, message } }));
      }
      const calls = JSON.parse(text) as readonly Call[];
      const answered = await fetch(chainUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      });
      const truth = (await answered.json()) as readonly Answer[];
      const told = truth
        .map((answer) =>
          quirkOf(
            calls.find(({ id }) => id === answer.id),
            answer,
          ),
        )
        .toReversed();
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(told));
    };
    request.on('end', () => void reply().catch(() => request.socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${PROVIDER_KEY}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function quirkOf(call: Call | undefined, answer: Answer): Answer {
  const { id, result } = answer;
  if (call?.method === 'eth_getTransactionReceipt' && typeof result === 'object' && result !== null)
    return { ...answer, result: { ...result, l1Fee: '0x0', l1GasPrice: '0x0', l1GasUsed: '0x0' } };
  if (call?.method !== 'eth_getLogs') return answer;
  const { fromBlock, toBlock } = call.params[0] as { fromBlock?: string; toBlock?: string };
  if (fromBlock === undefined || toBlock === undefined || BigInt(toBlock) - BigInt(fromBlock) < MAX_RANGE)
    return answer;
  const message =
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work';
  return { id, error: { code: -32_600, message } };
}

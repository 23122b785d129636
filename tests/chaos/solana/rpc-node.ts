// A node between the services and a Solana chain, which behaves as it is told. Of everything that is sent through it, it asks
// the database first whether it is stored: what is not is noted, and is a violation whatever becomes of it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Temper =
  | 'honest'
  /** What is sent is acknowledged and goes nowhere. */
  | 'drops sends'
  /** Most requests are answered with HTTP 429. */
  | 'refuses'
  /** Knows nothing of any transaction. */
  | 'lags'
  /** Of what it passed on it says that it could not. */
  | 'errs after send'
  /** Half of the connections are cut, before or after the chain has heard. */
  | 'cuts';

export type SolanaRpcNode = {
  readonly url: string;
  readonly behave: (temper: Temper) => void;
  /** Answers that were bent, dropped or cut. */
  readonly strikes: () => number;
  readonly stop: () => Promise<void>;
};

type NodeParts = {
  readonly chainUrl: string;
  readonly roll: () => number;
  /** Before the chain sees it; settles when it is known whether it is stored. */
  readonly onSend: (wireBase64: string) => Promise<void>;
};

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

const REFUSED = 0.8;
const CUT = 0.5;

export async function startSolanaRpcNode({ chainUrl, roll, onSend }: NodeParts): Promise<SolanaRpcNode> {
  let temper: Temper = 'honest';
  let strikes = 0;
  const forward = async (text: string) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(chainUrl, { method: 'POST', headers, body: text })).text();
  };
  const bentOf = (call: Call): unknown => {
    const [first] = call.params;
    if (temper === 'drops sends' && call.method === 'sendTransaction') return 'dropped';
    if (temper === 'lags' && call.method === 'getTransaction') return null;
    if (temper === 'lags' && call.method === 'getSignatureStatuses')
      return { context: { slot: 1 }, value: (first as readonly unknown[]).map(() => null) };
    return undefined;
  };
  const answerTo = async (call: Call, own: Temper): Promise<string> => {
    if (call.method === 'sendTransaction') await onSend(String(call.params[0]));
    const bent = bentOf(call);
    if (bent !== undefined) {
      strikes += 1;
      return JSON.stringify({ jsonrpc: '2.0', id: call.id, result: bent });
    }
    const truth = await forward(JSON.stringify(call));
    if (own === 'errs after send' && call.method === 'sendTransaction') {
      strikes += 1;
      const error = { code: -32_005, message: 'Node is unhealthy' };
      return JSON.stringify({ jsonrpc: '2.0', id: call.id, error });
    }
    return truth;
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const reply = async (): Promise<void> => {
      const asked = JSON.parse(text) as Call | readonly Call[];
      const own = temper;
      if (own === 'refuses' && roll() < REFUSED) {
        strikes += 1;
        return void response.writeHead(429).end();
      }
      const cut = own === 'cuts' && roll() < CUT;
      if (cut) strikes += 1;
      if (cut && roll() < 0.5) return void request.socket.destroy();
      const told = Array.isArray(asked)
        ? `[${(await Promise.all((asked as readonly Call[]).map((call) => answerTo(call, own)))).join(',')}]`
        : await answerTo(asked as Call, own);
      if (cut) return void request.socket.destroy();
      response.setHeader('content-type', 'application/json');
      response.end(told);
    };
    request.on('end', () => void reply().catch(() => request.socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => {
      temper = next;
    },
    strikes: () => strikes,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await sleep(0);
    },
  };
}

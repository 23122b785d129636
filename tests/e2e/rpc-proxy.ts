// RPC proxy between the services and the chain; the test makes it honest, dead, slow or a liar.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown };

type Temper =
  | { readonly kind: 'honest' | 'dead' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Returning undefined keeps the true answer. */
  | { readonly kind: 'liar'; readonly lie: (call: Call, truth: unknown) => unknown };

export type RpcProxy = {
  readonly url: string;
  readonly behave: (temper: Temper) => void;
  readonly lies: () => number;
  readonly close: () => void;
};

export async function startRpcProxy(chainUrl: string): Promise<RpcProxy> {
  let temper: Temper = { kind: 'honest' };
  let lies = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const reply = async () => {
      const now = temper;
      if (now.kind === 'dead') return request.socket.destroy();
      if (now.kind === 'slow') await sleep(now.delayMs);
      const headers = { 'content-type': 'application/json' };
      const answered = await fetch(chainUrl, { method: 'POST', headers, body: text });
      const truth = (await answered.json()) as readonly Answer[] | Answer;
      const calls = JSON.parse(text) as readonly Call[];
      if (now.kind !== 'liar' || !Array.isArray(truth)) return response.end(JSON.stringify(truth));
      const told = (truth as readonly Answer[]).map((answer) => {
        const call = calls.find(({ id }) => id === answer.id);
        const lie = call && now.lie(call, answer.result);
        if (lie === undefined) return answer;
        lies += 1;
        return { id: answer.id, jsonrpc: '2.0', result: lie };
      });
      return response.end(JSON.stringify(told));
    };
    // A chain that is stopped while a reply is under way looks like an endpoint that hangs up.
    request.on('end', () => void reply().catch(() => request.socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => {
      temper = next;
    },
    lies: () => lies,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

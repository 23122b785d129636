// A node proxy in front of a local chain: on a chosen port, with faults that a test injects.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getBase58Decoder } from '@solana/kit';
import { parseExact, printExact } from '../rpc/exact-json.ts';
import { mendAnswer, type RpcBody } from './correct-surfpool-answer.ts';
import { type Faults, noFaults, type ProxiedCall, spend } from './faults.ts';

export type NodeProxy = {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly faults: Faults;
  /** Id of every transaction sent through the proxy, once per send. */
  readonly sent: readonly string[];
  readonly stop: () => void;
};

type ProxyOptions = {
  readonly rpcUrl: string;
  /** If absent, there are no notifications to forward. */
  readonly wsUrl?: string;
  /** Any free port if absent. */
  readonly port?: number;
  readonly wsPort?: number;
};

export async function startNodeProxy({ rpcUrl, wsUrl, port = 0, wsPort = 0 }: ProxyOptions): Promise<NodeProxy> {
  const faults = noFaults();
  const sent: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'OPTIONS') return response.writeHead(204, CORS).end();
    const text = await textOf(request);
    if (faults.delayMs > 0) await sleep(faults.delayMs);
    if (faults.dead) return request.socket.destroy();
    if (spend(faults, 'refuseRequests')) return response.writeHead(429).end();
    const asked = parseExact(text) as ProxiedCall | readonly ProxiedCall[];
    const told = isBatch(asked) ? await Promise.all(asked.map(answerTo)) : await answerTo(asked);
    response.writeHead(200, { ...CORS, 'content-type': 'application/json' });
    return response.end(printExact(told));
  };
  const answerTo = async (call: ProxiedCall): Promise<unknown> => {
    const sending = call.method === 'sendTransaction';
    if (sending) sent.push(transactionIdOf(call));
    if (sending && spend(faults, 'dropSends')) return { jsonrpc: '2.0', id: call.id, result: sent.at(-1) };
    const truth = mendAnswer(await forward(rpcUrl, printExact(call)));
    if (sending && spend(faults, 'failSendsThatLand')) {
      return { jsonrpc: '2.0', id: call.id, error: { code: -32_005n, message: 'Node is unhealthy' } };
    }
    const told = faults.lie?.(call, truth.result);
    return told === undefined ? withoutUnheard(call, truth, faults.unheard) : { ...truth, result: told };
  };

  const rpc = createServer((request, response) => {
    answer(request, response).catch(() => response.headersSent || response.writeHead(502).end());
  });
  const chain = wsUrl === undefined ? undefined : new URL(wsUrl);
  const sockets = createTcpServer((client) => {
    if (chain === undefined || faults.dead) {
      client.destroy();
      return;
    }
    const node = connect(Number(chain.port), chain.hostname);
    client.pipe(node).pipe(client);
    client.on('error', () => node.destroy());
    node.on('error', () => client.destroy());
  });
  rpc.listen(port, '127.0.0.1');
  sockets.listen(wsPort, '127.0.0.1');
  await Promise.all([once(rpc, 'listening'), once(sockets, 'listening')]);
  return {
    rpcUrl: `http://127.0.0.1:${(rpc.address() as AddressInfo).port}`,
    wsUrl: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    faults,
    sent,
    stop: () => {
      rpc.closeAllConnections();
      rpc.close();
      sockets.close();
    },
  };
}

const isBatch = (asked: ProxiedCall | readonly ProxiedCall[]): asked is readonly ProxiedCall[] => Array.isArray(asked);

/** Wallets in a browser call the proxy too. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function forward(url: string, body: string): Promise<RpcBody> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return parseExact(await response.text()) as RpcBody;
}

/** The first signature, which follows the count of signatures. */
function transactionIdOf({ params }: ProxiedCall): string {
  const wire = Buffer.from(String(params[0]), 'base64');
  return getBase58Decoder().decode(wire.subarray(1, 65));
}

function withoutUnheard(call: ProxiedCall, truth: RpcBody, unheard: ReadonlySet<string>): RpcBody {
  const asked = call.params?.[0];
  if (call.method === 'getTransaction' && unheard.has(String(asked))) return { ...truth, result: null };
  if (call.method !== 'getSignatureStatuses' || !Array.isArray(asked)) return truth;
  const { value, ...rest } = truth.result as { readonly value: readonly unknown[] };
  const heard = value.map((status, index) => (unheard.has(String(asked[index])) ? null : status));
  return { ...truth, result: { ...rest, value: heard } };
}

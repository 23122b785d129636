// Fake chain: a JSON-RPC server that answers from tables, also wrongly on purpose.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TOKENS } from '@svc-pay/core';
import { chainIdOf, type Hex, parseNetwork } from '@svc-pay/protocol';
import { domainSeparator } from '@svc-pay/protocol/hash';
import { onTestFinished } from 'vitest';

export type FakeChain = {
  readonly url: string;
  /** Answers by method, or by `eth_call <to in lower case> <data>`. Tests change it to make the chain lie. */
  readonly answers: Map<string, unknown>;
  /** Authorization headers received. */
  readonly authorizations: (string | undefined)[];
};

const word = (value: bigint) => value.toString(16).padStart(64, '0');

export function encodeString(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  return `0x${word(32n)}${word(BigInt(bytes.length))}${bytes.toString('hex').padEnd(64, '0')}`;
}

/** Healthy Base Sepolia with our processor and the catalogue's tokens. */
export async function startFakeChain(processor: string, nowMs: number): Promise<FakeChain> {
  const answers = new Map<string, unknown>([
    ['eth_chainId', '0x14a34'],
    ['eth_getCode', '0x6001'],
    ['eth_getBlockByNumber', { timestamp: `0x${Math.floor(nowMs / 1_000).toString(16)}` }],
    [`eth_call ${processor.toLowerCase()} 0x54fd4d50`, encodeString('1.3.0')],
  ]);
  for (const token of TOKENS.filter(({ network }) => network === parseNetwork('84532'))) {
    const separator = domainSeparator({
      name: token.domain?.name ?? '',
      version: token.domain?.version ?? '',
      chainId: chainIdOf(token.network) ?? 0,
      verifyingContract: token.address as Hex,
    });
    const address = token.address.toLowerCase();
    answers.set(`eth_call ${address} 0x3644e515`, `0x${Buffer.from(separator).toString('hex')}`);
    answers.set(`eth_call ${address} 0x313ce567`, `0x${word(BigInt(token.unit.decimals))}`);
  }
  const authorizations: (string | undefined)[] = [];
  const answer = async (request: IncomingMessage): Promise<string> => {
    authorizations.push(request.headers.authorization);
    const { method, params } = JSON.parse(await bodyOf(request)) as {
      method: string;
      params: { to?: string; data?: string }[];
    };
    const [call] = params;
    const key = method === 'eth_call' ? `eth_call ${call?.to?.toLowerCase()} ${call?.data}` : method;
    const body = answers.has(key)
      ? { result: answers.get(key) }
      : { error: { code: 3, message: 'execution reverted' } };
    return JSON.stringify({ jsonrpc: '2.0', id: 1, ...body });
  };
  const server = createServer((request, response) => {
    void answer(request).then((text) => response.setHeader('content-type', 'application/json').end(text));
  });
  return { url: await listen(server), answers, authorizations };
}

/** Accepts connections and never answers. */
export const startSilentServer = (): Promise<string> => listen(createServer(() => {}));

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

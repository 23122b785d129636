// A node between the services and the chain, which behaves as it is told: it drops, delays, says an error about what it
// passed on, stands still at an old block, or cannot decide between two heads.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../harness/dice.ts';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown };
type Receipt = { readonly blockNumber: string };

export type Temper =
  | 'honest'
  /** Half of the requests before they reach the chain, half of them after. */
  | 'drops'
  | 'delays'
  /** Of what it broadcasts it says that it could not. */
  | 'errs after broadcast'
  /** Answers as of the block that was the newest when this began. */
  | 'stale'
  /** Answers by turns from what it remembers and from the chain. */
  | 'two heads';

export type RpcNode = {
  readonly url: string;
  readonly behave: (temper: Temper) => Promise<void>;
  /** Answers that were bent, dropped or late. */
  readonly strikes: () => number;
  readonly stop: () => Promise<void>;
};

const LONGEST_DELAY_MS = 3_000;
const DROPPED = 0.6;
const REMEMBERED = 200;

export async function startRpcNode(chainUrl: string, dice: Dice): Promise<RpcNode> {
  let temper: Temper = 'honest';
  let strikes = 0;
  let oldHead = 0n;
  const receipts = new Map<string, unknown>();
  let newestBlock: unknown;

  const forward = async (calls: readonly Call[]): Promise<readonly Answer[]> => {
    const headers = { 'content-type': 'application/json' };
    const answered = await fetch(chainUrl, { method: 'POST', headers, body: JSON.stringify(calls) });
    return (await answered.json()) as readonly Answer[];
  };
  const remember = (call: Call, result: unknown) => {
    if (call.method === 'eth_getTransactionReceipt' && result !== null && result !== undefined) {
      receipts.set(String(call.params[0]), result);
      if (receipts.size > REMEMBERED) receipts.delete(receipts.keys().next().value ?? '');
    }
    if (isNewestBlock(call) && result !== null) newestBlock = result;
  };
  const bent = (call: Call, answer: Answer, turned: boolean): Answer => {
    const told = (result: unknown): Answer => {
      strikes += 1;
      return { ...answer, result };
    };
    if (temper === 'errs after broadcast' && call.method === 'eth_sendRawTransaction') {
      strikes += 1;
      return { id: call.id, error: { code: -32_000, message: 'upstream connection was closed' } };
    }
    if (temper === 'stale' && call.method === 'eth_getTransactionReceipt') {
      const receipt = answer.result as Receipt | null | undefined;
      if (receipt?.blockNumber !== undefined && BigInt(receipt.blockNumber) > oldHead) return told(null);
    }
    if (temper === 'stale' && call.method === 'eth_blockNumber') return told(hex(oldHead));
    if (temper === 'two heads' && turned) {
      const old = call.method === 'eth_getTransactionReceipt' ? receipts.get(String(call.params[0])) : undefined;
      if (old !== undefined) return told(old);
      if (isNewestBlock(call) && newestBlock !== undefined) return told(newestBlock);
    }
    return answer;
  };
  /** What is asked about the newest block is asked about the old one. */
  const asked = (call: Call): Call =>
    temper === 'stale'
      ? { ...call, params: call.params.map((param) => (param === 'latest' ? hex(oldHead) : param)) }
      : call;

  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const reply = async (): Promise<void> => {
      const given = JSON.parse(text) as Call | readonly Call[];
      const calls = Array.isArray(given) ? (given as readonly Call[]) : [given as Call];
      const dropped = temper === 'drops' && dice.roll() < DROPPED;
      if (dropped) strikes += 1;
      if (dropped && dice.roll() < 0.5) return void request.socket.destroy();
      if (temper === 'delays') {
        strikes += 1;
        await sleep(dice.roll() * LONGEST_DELAY_MS);
      }
      const turned = dice.roll() < 0.5;
      const answers = await forward(calls.map(asked));
      if (dropped) return void request.socket.destroy();
      const told = answers.map((answer) => {
        const call = calls.find(({ id }) => id === answer.id);
        if (call === undefined) return answer;
        if (temper === 'honest') remember(call, answer.result);
        return bent(call, answer, turned);
      });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(given) ? told : told[0]));
    };
    request.on('end', () => void reply().catch(() => request.socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: async (next) => {
      if (next === 'stale') {
        const [answer] = await forward([{ id: 1, method: 'eth_blockNumber', params: [] }].map(framed));
        oldHead = BigInt((answer?.result as string | undefined) ?? '0x0');
      }
      temper = next;
    },
    strikes: () => strikes,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const framed = (call: Call) => ({ jsonrpc: '2.0', ...call });
const hex = (value: bigint) => `0x${value.toString(16)}`;
const isNewestBlock = ({ method, params }: Call) => method === 'eth_getBlockByNumber' && params[0] === 'latest';

import type { DirectWallet } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { SETTLED } from '../prove/settlement-logs.ts';
import { NodeRefused } from '../rpc/ask-node.ts';
import type { JsonRpc, RpcCall } from '../rpc/json-rpc.ts';
import { findOnChainTransactions } from './find-on-chain-transactions.ts';

const PROCESSOR = `0x${'ee'.repeat(20)}`;
const TOKEN = `0x${'33'.repeat(20)}`;
const EMPTY = `0x${'00'.repeat(256)}`;
const SOME = `0x${'00'.repeat(255)}01`;
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;

type Block = { readonly bloom?: string; readonly logs: readonly { readonly address: string }[] };
type Filter = {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address?: readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
};
type Habits = {
  /** Logs of blocks before this one are dropped; their headers stay. */
  readonly firstLogs?: number;
  /** Blocks before this one are dropped whole. */
  readonly firstBlock?: number;
  readonly head?: number;
  readonly withoutBlooms?: boolean;
  /** The stranger's logs have no topics. */
  readonly withoutTopics?: boolean;
  /** Only questions about named contracts are answered. */
  readonly needsAddress?: boolean;
  /** How many answers to a page's last block and witness are refused. */
  readonly refusals?: number;
  /** Called before each request. */
  readonly onRequest?: () => void;
};

/** Blocks 0 to 9: a stranger's token logs in block 3, our processor in blocks 5 and 8. */
function nodeOf(habits: Habits, asked: RpcCall[] = []): JsonRpc {
  const blocks: readonly Block[] = Array.from({ length: 10 }, (_, number) => ({
    logs: number === 3 ? [{ address: TOKEN }] : number === 5 || number === 8 ? [{ address: PROCESSOR }] : [],
  }));
  const { withoutBlooms = false } = habits;
  const headOf = () => habits.head ?? 9;
  const logOf = (number: number, address: string) => ({
    address,
    topics: habits.withoutTopics === true && address === TOKEN ? [] : [SETTLED, word(number), word(1), word(2)],
    data: `0x${'00'.repeat(128)}`,
    blockNumber: `0x${number.toString(16)}`,
    transactionHash: word(number),
    logIndex: '0x0',
  });
  const answer = ({ method, params }: RpcCall) => {
    if (method === 'eth_getBlockByNumber') {
      const number = Number(params[0]);
      const block = number < (habits.firstBlock ?? 0) || number > headOf() ? undefined : blocks[number];
      if (block === undefined) return null;
      return { number: params[0], ...(!withoutBlooms && { logsBloom: block.logs.length > 0 ? SOME : EMPTY }) };
    }
    const { fromBlock, toBlock, address, topics = [] } = params[0] as Filter;
    const matches = (log: { readonly topics: readonly string[] }) =>
      topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at] ?? ''));
    return blocks.flatMap(({ logs }, number) =>
      number < Math.max(Number(fromBlock), habits.firstLogs ?? 0) || number > Math.min(Number(toBlock), headOf())
        ? []
        : logs
            .filter((log) => address?.includes(log.address) !== false)
            .map((log) => logOf(number, log.address))
            .filter(matches),
    );
  };
  let { refusals = 0 } = habits;
  return async (calls) => {
    habits.onRequest?.();
    asked.push(...calls);
    const isPage = new Set(calls.map(({ method }) => method)).size === 2;
    if (isPage && refusals-- > 0)
      return calls.map((call, index) =>
        index === 0
          ? { ok: true, result: answer(call) }
          : { ok: false, code: -32_005, message: 'rate limit', data: null },
      );
    return calls.map((call) =>
      habits.needsAddress === true && call.method === 'eth_getLogs' && !('address' in (call.params[0] as object))
        ? { ok: false, code: -32_602, message: 'name an address', data: null }
        : { ok: true, result: answer(call) },
    );
  };
}

async function blocksOf(rpc: JsonRpc, fromBlock: bigint, wallets: readonly DirectWallet[] = []) {
  const found: bigint[] = [];
  for await (const page of findOnChainTransactions(rpc, [PROCESSOR], wallets, { fromBlock, toBlock: 9n }))
    found.push(...page.map(({ blockNumber }) => blockNumber));
  return found;
}

test('a node with the whole history tells every transaction', async () => {
  expect(await blocksOf(nodeOf({}), 0n)).toEqual([5n, 8n]);
  expect(await blocksOf(nodeOf({ withoutBlooms: true }), 0n)).toEqual([5n, 8n]);
  expect(await blocksOf(nodeOf({}), 9n)).toEqual([]);
});

test.each<[string, Habits, bigint]>([
  ['has dropped the logs of our first block', { firstLogs: 6 }, 5n],
  ['has dropped the logs of an earlier block, although none of them is ours', { firstLogs: 4 }, 2n],
  ['has dropped the blocks', { firstBlock: 6 }, 5n],
  ['has no block that the reading begins with', { firstBlock: 1 }, 0n],
])('a node that %s is refused, and answers no empty list', async (_, habits, fromBlock) => {
  await expect(blocksOf(nodeOf(habits), fromBlock)).rejects.toThrow(NodeRefused);
  await expect(blocksOf(nodeOf(habits), fromBlock)).rejects.toThrow(/whose history reaches back to block/);
});

test('a node that drops the logs while they are read, or lags behind, is refused', async () => {
  const habits = { firstLogs: 0, requests: 0 };
  const onRequest = () => {
    habits.requests += 1;
    // The header, the first own log, then the page.
    if (habits.requests === 3) habits.firstLogs = 7;
  };
  const dropping = nodeOf({
    onRequest,
    get firstLogs() {
      return habits.firstLogs;
    },
  });
  await expect(blocksOf(dropping, 5n)).rejects.toThrow(NodeRefused);
  expect(habits.requests).toBe(3);
  await expect(blocksOf(nodeOf({ head: 8 }), 5n)).rejects.toThrow(NodeRefused);
});

test('a limit of the rate is no proof of dropped logs: the page is asked again', async () => {
  expect(await blocksOf(nodeOf({ refusals: 2 }), 5n)).toEqual([5n, 8n]);
  await expect(blocksOf(nodeOf({ refusals: 99 }), 5n)).rejects.toThrow(/refuses the logs of block 5: rate limit/);
});

test('a node that lags behind is refused also where the first blocks have no log to show', async () => {
  let head = 9;
  const requests = { count: 0 };
  const lagging = nodeOf({
    onRequest: () => {
      requests.count += 1;
      // The headers are there; then another node answers, which lags behind.
      if (requests.count === 2) head = 8;
    },
    get head() {
      return head;
    },
  });
  await expect(blocksOf(lagging, 9n)).rejects.toThrow(/lags behind/);
});

test('a log without topics is a witness, and so is any log of a token of ours where nodes answer only about named contracts', async () => {
  expect(await blocksOf(nodeOf({ withoutTopics: true }), 2n)).toEqual([5n, 8n]);
  await expect(blocksOf(nodeOf({ withoutTopics: true, firstLogs: 4 }), 2n)).rejects.toThrow(NodeRefused);
  const wallets = [{ asset: TOKEN, wallet: `0x${'44'.repeat(20)}` }];
  expect(await blocksOf(nodeOf({ needsAddress: true }), 2n, wallets)).toEqual([5n, 8n]);
  // Without one the node can't show that it has the logs of the block.
  await expect(blocksOf(nodeOf({ needsAddress: true }), 2n)).rejects.toThrow(/name an address/);
});

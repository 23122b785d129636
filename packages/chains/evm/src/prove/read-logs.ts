// Reads the logs of a range of blocks, in parts that the node is willing to answer.

import type { DirectWallet } from '@svc-pay/core';
import { hexOf, NodeRefused, numberOf, saidBy } from '../rpc/ask-node.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type ChainLog, TRANSFER, topicOf } from './processor-logs.ts';

/** Many nodes refuse to answer a larger range of blocks in one query. */
const MOST_BLOCKS = 2_000n;

export type LogRange = {
  readonly processors: readonly string[];
  readonly tokens: readonly string[];
  /** Wallets whose receipts are read too, each with the token. */
  readonly wallets?: readonly DirectWallet[];
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
};

/**
 * The processors' logs, every transfer of the tokens to and from them, and every transfer to the wallets; a block is
 * never split.
 */
export async function* readLogs(rpc: JsonRpc, range: LogRange): AsyncGenerator<readonly ChainLog[]> {
  let [start, size] = [range.fromBlock, MOST_BLOCKS];
  while (start <= range.toBlock) {
    const end = start + size - 1n < range.toBlock ? start + size - 1n : range.toBlock;
    const logs = await readOnce(rpc, range, start, end);
    if (typeof logs === 'string') {
      if (size === 1n) throw new NodeRefused(`the node refuses the logs of block ${start}: ${logs}`);
      size /= 2n;
    } else {
      yield logs;
      start = end + 1n;
      size = size * 2n < MOST_BLOCKS ? size * 2n : MOST_BLOCKS;
    }
  }
}

async function readOnce(
  rpc: JsonRpc,
  { processors, tokens, wallets = [] }: LogRange,
  start: bigint,
  end: bigint,
): Promise<readonly ChainLog[] | string> {
  const blocks = { fromBlock: hexOf(start), toBlock: hexOf(end) };
  const selves = processors.map(topicOf);
  const filters = [
    // An empty list of addresses would match every contract.
    ...(processors.length === 0 ? [] : [{ ...blocks, address: processors }]),
    ...(tokens.length === 0
      ? []
      : [
          { ...blocks, address: tokens, topics: [TRANSFER, null, selves] },
          { ...blocks, address: tokens, topics: [TRANSFER, selves] },
        ]),
    ...(wallets.length === 0
      ? []
      : [
          {
            ...blocks,
            address: [...new Set(wallets.map(({ asset }) => asset))],
            topics: [TRANSFER, null, [...new Set(wallets.map(({ wallet }) => topicOf(wallet)))]],
          },
        ]),
  ];
  const answers = await rpc(filters.map((filter) => ({ method: 'eth_getLogs', params: [filter] })));
  const logs: ChainLog[] = [];
  for (const answer of answers) {
    if (!answer.ok) return saidBy(answer.message);
    logs.push(...logsOf(answer.result));
  }
  return logs;
}

export function logsOf(value: unknown): readonly ChainLog[] {
  if (!Array.isArray(value)) throw new NodeRefused('the node answers no logs');
  return value.map((log: Readonly<Record<string, unknown>>) => ({
    address: textOf(log['address']),
    topics: (log['topics'] as readonly unknown[]).map(textOf),
    data: textOf(log['data']),
    blockNumber: numberOf(log['blockNumber']),
    transactionId: textOf(log['transactionHash']),
    logIndex: Number(numberOf(log['logIndex'])),
  }));
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new NodeRefused('a log is not complete');
  return value.toLowerCase();
}

// Reads the logs of a range of blocks, in parts that the node is willing to answer.

import type { DirectWallet } from '@svc-pay/core';
import { hexOf, NodeRefused, numberOf, saidBy } from '../rpc/ask-node.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askWitness, type LogWitness, requireWitness, type SourceFilter } from './log-witness.ts';
import { type ChainLog, TRANSFER, topicOf } from './processor-logs.ts';

/** Many nodes refuse to answer a larger range of blocks in one query. */
const MOST_BLOCKS = 2_000n;

type LogSources = {
  readonly processors: readonly string[];
  readonly tokens: readonly string[];
  /** Wallets whose receipts are read too, each with the token. */
  readonly wallets?: readonly DirectWallet[];
};

export type LogRange = LogSources & {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
  /** An answer counts only if its node has the last block of the answer, and shows `log` too, if there is one. */
  readonly witness?: { readonly log: LogWitness | undefined };
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
  range: LogRange,
  start: bigint,
  end: bigint,
): Promise<readonly ChainLog[] | string> {
  const { witness } = range;
  const blocks = { fromBlock: hexOf(start), toBlock: hexOf(end) };
  const filters = filtersOf(range).map((filter) => ({ ...filter, ...blocks }));
  const answers = await rpc([
    ...filters.map((filter) => ({ method: 'eth_getLogs', params: [filter] })),
    ...(witness === undefined ? [] : askWitness(witness.log, end)),
  ]);
  const logs: ChainLog[] = [];
  for (const answer of answers.slice(0, filters.length)) {
    if (!answer.ok) return saidBy(answer.message);
    logs.push(...logsOf(answer.result));
  }
  const refused = witness && requireWitness(witness.log, answers.slice(filters.length));
  return refused?.refusal ?? logs;
}

/** Without blocks. */
export function filtersOf({ processors, tokens, wallets = [] }: LogSources): readonly SourceFilter[] {
  const selves = processors.map(topicOf);
  return [
    // An empty list of addresses would match every contract.
    ...(processors.length === 0 ? [] : [{ address: processors }]),
    ...(tokens.length === 0
      ? []
      : [
          { address: tokens, topics: [TRANSFER, null, selves] },
          { address: tokens, topics: [TRANSFER, selves] },
        ]),
    ...(wallets.length === 0
      ? []
      : [
          {
            address: [...new Set(wallets.map(({ asset }) => asset))],
            topics: [TRANSFER, null, [...new Set(wallets.map(({ wallet }) => topicOf(wallet)))]],
          },
        ]),
  ];
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

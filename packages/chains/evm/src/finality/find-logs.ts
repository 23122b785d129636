// Finds logs by topics, from the newest block backwards until a block is older than `sinceSeconds`, in ranges that the
// node is willing to answer.
import { ChainUnavailable } from '@svc-pay/core';
import { numberToHex } from 'viem';
import { askChain, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';

/** Many nodes refuse to answer a larger range of blocks in one query. */
const MOST_BLOCKS = 2_000n;

export type LogFilter = {
  readonly address: readonly string[];
  readonly topics: readonly (string | readonly string[] | null)[];
};

export type FoundLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly transactionId: string;
};

export type LogSpan = {
  /** The newest block to read. */
  readonly toBlock: bigint;
  /** Blocks with an earlier timestamp are not read. */
  readonly sinceSeconds: bigint;
  /** The search ends when this says so of the logs found so far. */
  readonly isEnough?: (found: readonly FoundLog[]) => boolean;
};

export async function findLogs(
  rpc: JsonRpc,
  filters: readonly LogFilter[],
  { toBlock, sinceSeconds, isEnough = () => false }: LogSpan,
): Promise<readonly FoundLog[]> {
  const found: FoundLog[] = [];
  let [end, size] = [toBlock, MOST_BLOCKS];
  for (;;) {
    const start = end < size ? 0n : end - size + 1n;
    const range = { fromBlock: numberToHex(start), toBlock: numberToHex(end) };
    const [block, ...answers] = await askChain(rpc, [
      { method: 'eth_getBlockByNumber', params: [range.fromBlock, false] },
      ...filters.map((filter) => ({ method: 'eth_getLogs', params: [{ ...range, ...filter }] })),
    ]);
    if (answers.some(({ ok }) => !ok)) {
      if (size === 1n) throw new ChainUnavailable(`the node refuses the logs of block ${start}`);
      size /= 2n;
      continue;
    }
    found.push(...answers.flatMap(logsOf));
    if (isEnough(found)) return found;
    if (start === 0n || quantityOf(fieldOf(resultOf(block), 'timestamp')) < sinceSeconds) return found;
    end = start - 1n;
  }
}

function logsOf(answer: RpcAnswer): readonly FoundLog[] {
  const logs = resultOf(answer);
  if (!Array.isArray(logs)) throw new ChainUnavailable('the node answers no logs');
  return logs.map((log: unknown) => {
    const topics = fieldOf(log, 'topics');
    return {
      address: textOf(fieldOf(log, 'address')),
      topics: Array.isArray(topics) ? topics.map(textOf) : [],
      transactionId: textOf(fieldOf(log, 'transactionHash')),
    };
  });
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new ChainUnavailable('a log is not complete');
  return value.toLowerCase();
}

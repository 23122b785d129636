// One node of an EVM network as the chain reader asks it.
import {
  type BlockRef,
  ChainUnavailable,
  type MoneyLog,
  RangeTooLarge,
  type ReaderNode,
  type ReaderSource,
  type ReadRange,
} from '@svc-pay/core';
import { numberToHex } from 'viem';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, SETTLED } from '../prove/settlement-logs.ts';
import { askChain, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import { saidBy } from '../rpc/ask-node.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { hexOf, RECEIVED, readMoneyLogs, type SourceKinds, unusable } from './money-logs.ts';
import { OVER_THE_BOUND } from './post-log-calls.ts';
import { receivedEvidenceOf } from './received-evidence.ts';
import { refusesRange } from './refuses-range.ts';
import { useEvidenceOf } from './use-evidence.ts';

/** More logs in one answer are refused as too many: a smaller range has fewer. */
export const MAX_LOGS = 20_000;
/** Addresses in one filter; nodes bound the list. */
const MAX_ADDRESSES = 100;
const RECEIPTS_AT_ONCE = 20;
const TOPICS = [[SETTLED, RECEIVED, AUTHORIZATION_USED, AUTHORIZATION_CANCELED]];

/** `rpc` is one endpoint, never several in turn: its answers are compared with those of others. */
export function createReaderNode(rpc: JsonRpc): ReaderNode {
  return {
    readHeads: async () => {
      const [head, finalized] = await askChain(rpc, [askBlock('latest'), askBlock('finalized')]);
      return { head: blockOf(resultOf(head)), finalized: blockOf(resultOf(finalized)) };
    },
    readBlocks: async (numbers) => {
      const answers = await askChain(
        rpc,
        numbers.map((number) => askBlock(numberToHex(number))),
      );
      return numbers.map((number, index) => readBlockAt(answers[index], number));
    },
    readLogs: (range, sources) => readLogs(rpc, range, sources),
    readEvidence: (uses) => readEvidence(rpc, uses, useEvidenceOf),
    readReceived: (logs) => readEvidence(rpc, logs, receivedEvidenceOf),
  };
}

async function readLogs(
  rpc: JsonRpc,
  range: ReadRange,
  sources: readonly ReaderSource[],
): Promise<readonly MoneyLog[]> {
  const kinds: SourceKinds = new Map(sources.map(({ address, kind }) => [address.toLowerCase(), kind]));
  const blocks = { fromBlock: numberToHex(range.from), toBlock: numberToHex(range.to), topics: TOPICS };
  const filters = pagesOf([...kinds.keys()], MAX_ADDRESSES).map((address) => ({ ...blocks, address }));
  const answers = await askChain(
    rpc,
    filters.map((filter) => ({ method: 'eth_getLogs', params: [filter] })),
  );
  const logs = answers.flatMap((answer) => listOf(answer, range));
  if (logs.length > MAX_LOGS) throw new RangeTooLarge(`${logs.length} logs`);
  return readMoneyLogs(logs, range, kinds);
}

/**
 * Throws `RangeTooLarge` where the node refuses the size of the query. A node that refuses a single block gives no usable
 * answer: the others decide without it.
 */
function listOf(answer: RpcAnswer, { from, to }: ReadRange): readonly unknown[] {
  if (!answer.ok && from < to && (answer.code === OVER_THE_BOUND || refusesRange(answer))) {
    throw new RangeTooLarge(saidBy(answer.message));
  }
  const logs = resultOf(answer);
  if (!Array.isArray(logs)) throw unusable('no logs');
  return logs;
}

/** What the receipts say of each log, in order. */
async function readEvidence<Log extends MoneyLog, Evidence>(
  rpc: JsonRpc,
  logs: readonly Log[],
  evidenceOf: (log: Log, receipt: unknown) => Evidence | undefined,
): Promise<readonly (Evidence | undefined)[]> {
  const found = new Map<Log, Evidence | undefined>();
  const byTransaction = [...Map.groupBy(logs, ({ position }) => position.transactionId)];
  for (const page of pagesOf(byTransaction, RECEIPTS_AT_ONCE)) {
    const receipts = await readReceipts(
      rpc,
      page.map(([transactionId]) => transactionId),
    );
    for (const [index, [, ofTransaction]] of page.entries()) {
      for (const log of ofTransaction) found.set(log, evidenceOf(log, receipts[index]));
    }
  }
  return logs.map((log) => found.get(log));
}

/** A page whose receipts are too large together is read one by one. */
async function readReceipts(rpc: JsonRpc, transactionIds: readonly string[]): Promise<readonly unknown[]> {
  const answers = await askChain(rpc, transactionIds.map(askReceipt));
  if (transactionIds.length === 1 || answers.every((answer) => answer.ok || answer.code !== OVER_THE_BOUND)) {
    return answers.map(resultOf);
  }
  const receipts: unknown[] = [];
  for (const id of transactionIds) receipts.push(...(await readReceipts(rpc, [id])));
  return receipts;
}

const askBlock = (block: string): RpcCall => ({ method: 'eth_getBlockByNumber', params: [block, false] });
const askReceipt = (id: string): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [id] });

/** Undefined where the node does not have the block. */
function readBlockAt(answer: RpcAnswer | undefined, number: bigint): BlockRef | undefined {
  const result = resultOf(answer);
  if (result === null || result === undefined) return undefined;
  const block = blockOf(result);
  if (block.number !== number) throw unusable('another block');
  return block;
}

function blockOf(value: unknown): BlockRef {
  if (value === null || value === undefined) throw new ChainUnavailable('the node has no such block');
  return {
    number: storable(fieldOf(value, 'number')),
    hash: hexOf(fieldOf(value, 'hash'), 32),
    timeSeconds: storable(fieldOf(value, 'timestamp')),
  };
}

/** Numbers and times of blocks are stored in eight bytes. */
function storable(value: unknown): bigint {
  const quantity = quantityOf(value);
  if (quantity >= 1n << 63n) throw unusable('a number out of range');
  return quantity;
}

function pagesOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, page) =>
    items.slice(page * size, (page + 1) * size),
  );
}

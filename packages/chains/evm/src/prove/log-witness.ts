// Nodes drop old logs, and many answer a question about dropped blocks with an empty list. A witness is a log as early as
// the first block that is read: an answer counts only if the node that gives it shows the witness too.
import { hexOf, NodeRefused, saidBy } from '../rpc/ask-node.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';

export type LogWitness = {
  readonly blockNumber: bigint;
  readonly address: string;
  /** Undefined for a log without topics. */
  readonly topic: string | undefined;
  readonly transactionId: string;
};

/** Without blocks. */
export type SourceFilter = { readonly address?: readonly string[]; readonly topics?: readonly unknown[] };

/** Blocks without any log after which none is looked for any more: then only the blocks themselves are shown. */
const MOST_BLOCKS = 1_000n;
const AT_ONCE = 50n;

/**
 * The first log from `fromBlock` on; undefined where the blocks have none. `own` are filters of logs that are likely there.
 * Throws `NodeRefused` when the node lacks one of the blocks, or the logs of a block whose header says that it has some.
 */
export async function findLogWitness(
  rpc: JsonRpc,
  { fromBlock, toBlock }: { readonly fromBlock: bigint; readonly toBlock: bigint },
  own: readonly SourceFilter[],
): Promise<LogWitness | undefined> {
  const last = fromBlock + MOST_BLOCKS - 1n < toBlock ? fromBlock + MOST_BLOCKS - 1n : toBlock;
  for (let start = fromBlock; start <= last; start += AT_ONCE) {
    const end = start + AT_ONCE - 1n < last ? start + AT_ONCE - 1n : last;
    for (const { number, hasLogs } of await readHeaders(rpc, start, end)) {
      if (hasLogs === false) continue;
      const witness = await witnessIn(rpc, number, own);
      if (witness !== undefined) return witness;
      if (hasLogs === true)
        throw new NodeRefused(`the node has dropped the logs of block ${number}: ${OTHER_NODE} ${fromBlock}`);
    }
  }
  return undefined;
}

const OTHER_NODE = 'put a node first into rpcUrls whose history reaches back to block';

type Header = { readonly number: bigint; readonly hasLogs: boolean | undefined };

async function readHeaders(rpc: JsonRpc, start: bigint, end: bigint): Promise<readonly Header[]> {
  const numbers = Array.from({ length: Number(end - start) + 1 }, (_, index) => start + BigInt(index));
  const answers = await rpc(numbers.map(askHeader));
  return numbers.map((number, index) => {
    const answer = answers[index];
    if (answer?.ok === false)
      throw new NodeRefused(`the node refuses block ${number}: ${saidBy(answer.message)}: run it again`);
    const bloom = answer?.ok === true ? (answer.result as { logsBloom?: unknown } | null) : null;
    if (bloom === null) throw new NodeRefused(`the node does not have block ${number}: ${OTHER_NODE} ${start}`);
    const { logsBloom } = bloom;
    return { number, hasLogs: typeof logsBloom === 'string' ? /[1-9a-f]/i.test(logsBloom.slice(2)) : undefined };
  });
}

const askHeader = (number: bigint): RpcCall => ({ method: 'eth_getBlockByNumber', params: [hexOf(number), false] });

/**
 * Own logs first, then all of the same contracts: the answer about a whole block may be longer than a node is willing to give,
 * and some nodes answer only about named contracts.
 */
async function witnessIn(rpc: JsonRpc, number: bigint, own: readonly SourceFilter[]): Promise<LogWitness | undefined> {
  const block = { fromBlock: hexOf(number), toBlock: hexOf(number) };
  const address = [...new Set(own.flatMap((filter) => filter.address ?? []))];
  for (const filters of [own, ...(address.length === 0 ? [] : [[{ address }]]), [{}]]) {
    const answers = await rpc(filters.map((filter) => ({ method: 'eth_getLogs', params: [{ ...filter, ...block }] })));
    for (const answer of answers) {
      if (!answer.ok) throw new NodeRefused(`the node refuses the logs of block ${number}: ${saidBy(answer.message)}`);
      const found = (Array.isArray(answer.result) ? answer.result : []).map(asWitness).find((one) => one !== undefined);
      if (found !== undefined) return { ...found, blockNumber: number };
    }
  }
  return undefined;
}

function asWitness(log: unknown): Omit<LogWitness, 'blockNumber'> | undefined {
  const { address, topics, transactionHash } = log as Readonly<Record<string, unknown>>;
  const [topic] = Array.isArray(topics) ? (topics as readonly unknown[]) : [];
  if (typeof address !== 'string' || typeof transactionHash !== 'string') return undefined;
  return {
    address,
    topic: typeof topic === 'string' ? topic : undefined,
    transactionId: transactionHash.toLowerCase(),
  };
}

/** Asked in the same request as the logs up to `end`, so that the same node answers. */
export function askWitness(witness: LogWitness | undefined, end: bigint): readonly RpcCall[] {
  if (witness === undefined) return [askHeader(end)];
  const { blockNumber, address, topic } = witness;
  const block = { fromBlock: hexOf(blockNumber), toBlock: hexOf(blockNumber) };
  const filter = { ...block, address: [address], ...(topic !== undefined && { topics: [topic] }) };
  return [askHeader(end), { method: 'eth_getLogs', params: [filter] }];
}

/**
 * Throws `NodeRefused` unless the node has the last block and shows the witness, if there is one. Returns what the node says
 * if it refuses to answer: a limit of its rate proves nothing.
 */
export function requireWitness(
  witness: LogWitness | undefined,
  answers: readonly RpcAnswer[],
): { readonly refusal: string } | undefined {
  const [header, logs] = answers;
  for (const answer of answers) if (!answer.ok) return { refusal: saidBy(answer.message) };
  if (witness !== undefined) requireShown(witness, logs);
  if (header?.ok !== true || header.result === null)
    throw new NodeRefused('the node lags behind the newest block: run it again');
  return undefined;
}

function requireShown({ blockNumber, transactionId }: LogWitness, logs: RpcAnswer | undefined): void {
  const shown = logs?.ok === true && Array.isArray(logs.result) ? (logs.result as readonly unknown[]) : [];
  if (!shown.some((log) => asWitness(log)?.transactionId === transactionId))
    throw new NodeRefused(`the node has dropped the logs of block ${blockNumber}: ${OTHER_NODE} ${blockNumber}`);
}

// A chain and nodes for tests of the chain reader. Each node has its own view, and may be bent one by one.
import { evmNetwork } from '@svc-pay/protocol';
import { type BlockRef, ChainUnavailable, type MoneyLog, type ReaderChain, type ReaderNode } from '../index.ts';

export const SAMPLE_NETWORK = evmNetwork(84_532);
export const SAMPLE_PROCESSOR = `0x${'22'.repeat(20)}`;
export const SAMPLE_TOKEN = `0x${'7c'.repeat(20)}`;

type SampleBlock = { readonly ref: BlockRef; readonly logs: readonly MoneyLog[] };
/** Numbers are heights; a log is named by its block and index. */
export type SampleChain = {
  readonly blocks: SampleBlock[];
  /** Adds blocks, of a fork of that name. */
  readonly grow: (count: number, fork?: string) => void;
  /** Drops the newest blocks. */
  readonly cut: (count: number) => void;
  /** The block gets a log of the processor, or a use in the token. */
  readonly put: (number: bigint, source: 'processor' | 'token') => MoneyLog;
};

export type SampleNode = ReaderNode & {
  /** The node has seen only so many of the newest blocks less. */
  lag: number;
  isSilent: boolean;
  /** Changes what the node tells of its logs. */
  bend: ((logs: readonly MoneyLog[]) => readonly MoneyLog[]) | undefined;
  /** Runs in the middle of a question for logs. */
  meanwhile: (() => void) | undefined;
  /** The node's own fork, instead of the chain. */
  fork: readonly SampleBlock[] | undefined;
  logReads: number;
};

export const FINAL_BEHIND = 5;

export function createSampleChain(count = 1): SampleChain {
  const blocks: SampleBlock[] = [];
  const chain: SampleChain = {
    blocks,
    grow: (more, fork = '') => {
      for (let grown = 0; grown < more; grown += 1) {
        const number = BigInt(blocks.length);
        blocks.push({ ref: { number, hash: `0x${number}${fork}`, timeSeconds: 1_000n + number }, logs: [] });
      }
    },
    cut: (fewer) => void blocks.splice(blocks.length - fewer),
    put: (number, source) => {
      const block = blocks[Number(number)];
      if (block === undefined) throw new Error(`no block ${number}`);
      const logIndex = block.logs.length;
      const position = { blockNumber: number, blockHash: block.ref.hash, transactionId: `0xt${number}`, logIndex };
      const payer = `0x${'b1'.repeat(20)}`;
      const log: MoneyLog =
        source === 'token'
          ? { event: 'authorization_used', address: SAMPLE_TOKEN, position, payer, nonce: `0x${number}${logIndex}` }
          : {
              event: 'payment_settled',
              address: SAMPLE_PROCESSOR,
              position,
              payer,
              intentCode: number,
              asset: SAMPLE_TOKEN,
              payoutId: 1n,
              amountAtomic: 5n,
              feeAtomic: 0n,
            };
      blocks[Number(number)] = { ...block, logs: [...block.logs, log] };
      return log;
    },
  };
  chain.grow(count);
  return chain;
}

export function createSampleNode(chain: SampleChain): SampleNode {
  const view = () => {
    if (node.isSilent) throw new ChainUnavailable('silent');
    const all = node.fork ?? chain.blocks;
    return all.slice(0, all.length - node.lag);
  };
  const node: SampleNode = {
    lag: 0,
    isSilent: false,
    bend: undefined,
    meanwhile: undefined,
    fork: undefined,
    logReads: 0,
    readHeads: async () => {
      const seen = view();
      const at = (place: number) => (seen[Math.max(0, place)] as SampleBlock).ref;
      return { head: at(seen.length - 1), finalized: at(seen.length - 1 - FINAL_BEHIND) };
    },
    readBlocks: async (numbers) => {
      const seen = view();
      return numbers.map((number) => seen[Number(number)]?.ref);
    },
    readLogs: async ({ from, to }, sources) => {
      node.logReads += 1;
      const logs = view()
        .slice(Number(from), Number(to) + 1)
        .flatMap((block) => block.logs)
        .filter(({ address }) => sources.some((source) => source.address === address));
      node.meanwhile?.();
      return node.bend?.(logs) ?? logs;
    },
    readEvidence: async (uses) => {
      const seen = view();
      return uses.map(({ position, payer }) => {
        const block = seen[Number(position.blockNumber)];
        const transfer = { logIndex: position.logIndex + 1, from: payer, to: '0xwallet', valueAtomic: 5n };
        return block && { transactionId: position.transactionId, blockHash: block.ref.hash, transfer };
      });
    },
    readReceived: async (logs) => logs.map(() => undefined),
  };
  return node;
}

export function sampleReaderChain(nodes: readonly ReaderNode[]): ReaderChain {
  return { network: SAMPLE_NETWORK, nodes: async () => nodes };
}

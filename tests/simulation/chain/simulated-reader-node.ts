// A node as the chain reader asks it. It answers from the blocks that it has seen, which may be old or of a fork that
// everybody else has left; now and then it leaves logs out, or tells others than there are.
import type { AuthorizationLog, BlockRef, MoneyLog, ReaderSource, ReadRange, UseEvidence } from '@svc-pay/core';
import type { Dice } from '../../chaos/harness/dice.ts';
import { type Log, SETTLED, TRANSFER, USED } from './chain-state.ts';
import type { Block } from './simulated-chain.ts';
import { FINAL_DEPTH } from './simulated-node.ts';

type ReaderNodeMood = 'well' | 'silent' | 'drops logs' | 'lies about logs';

export type SimulatedReaderNode = {
  readonly name: string;
  readonly heads: () => { readonly head: BlockRef; readonly finalized: BlockRef };
  readonly blocks: (numbers: readonly bigint[]) => readonly (BlockRef | undefined)[];
  readonly logs: (range: ReadRange, sources: readonly ReaderSource[]) => readonly MoneyLog[];
  readonly evidence: (uses: readonly AuthorizationLog[]) => readonly (UseEvidence | undefined)[];
  readonly see: (blocks: readonly Block[]) => void;
  /** The node had this block, now or before. */
  readonly hasSeen: (hash: string) => boolean;
  readonly mood: () => ReaderNodeMood;
  readonly setMood: (mood: ReaderNodeMood) => void;
  readonly standsStill: () => boolean;
  readonly setStill: (still: boolean) => void;
};

export function createReaderNode(name: string, dice: Dice, genesis: readonly Block[]): SimulatedReaderNode {
  let view = genesis;
  let mood: ReaderNodeMood = 'well';
  let still = false;
  const seen = new Set(genesis.map(({ hash }) => hash));
  const blockAt = (number: bigint): Block | undefined => view[Number(number - (view[0]?.number ?? 0n))];
  const lies = () => mood === 'lies about logs' && dice.roll() < 0.6;
  return {
    name,
    heads: () => ({
      head: refOf(view.at(-1) as Block),
      finalized: refOf(view[Math.max(0, view.length - 1 - FINAL_DEPTH)] as Block),
    }),
    blocks: (numbers) =>
      numbers.map((number) => {
        const block = blockAt(number);
        return block && refOf(block);
      }),
    logs: ({ from, to }, sources) => {
      const first = Number(from - (view[0]?.number ?? 0n));
      const asked = new Set(sources.map(({ address }) => address));
      return view
        .slice(first, Number(to - from) + first + 1)
        .flatMap(moneyLogsOf)
        .filter(({ address }) => asked.has(address) && !(mood === 'drops logs' && dice.roll() < 0.6))
        .map((log) => (lies() ? lieAbout(log) : log));
    },
    evidence: (uses) =>
      uses.map((use): UseEvidence | undefined => {
        const found = evidenceOf(view, use);
        if (found?.transfer === undefined || !lies()) return found;
        return { ...found, transfer: { ...found.transfer, valueAtomic: found.transfer.valueAtomic + 1n } };
      }),
    see: (blocks) => {
      view = blocks;
      for (let index = blocks.length - 1; index >= 0; index -= 1) {
        const { hash } = blocks[index] as Block;
        if (seen.has(hash)) break;
        seen.add(hash);
      }
    },
    hasSeen: (hash) => seen.has(hash),
    mood: () => mood,
    setMood: (next) => {
      mood = next;
    },
    standsStill: () => still,
    setStill: (next) => {
      still = next;
    },
  };
}

const refOf = ({ number, hash, timeSeconds }: Block): BlockRef => ({ number, hash, timeSeconds });

const known = new WeakMap<Block, readonly MoneyLog[]>();

/** In the order of the block. */
export function moneyLogsOf(block: Block): readonly MoneyLog[] {
  const decoded = known.get(block) ?? decodeLogs(block);
  known.set(block, decoded);
  return decoded;
}

const addressOf = (topic: string | undefined) => `0x${topic?.slice(26)}`;
const wordAt = (data: string, place: number) => BigInt(`0x${data.slice(2 + 64 * place, 66 + 64 * place)}`);

function decodeLogs({ number, hash, transactions }: Block): readonly MoneyLog[] {
  let logIndex = -1;
  return transactions.flatMap(({ id, logs }) =>
    logs.flatMap(({ address, topics, data }): readonly MoneyLog[] => {
      logIndex += 1;
      const position = { blockNumber: number, blockHash: hash, transactionId: id, logIndex };
      const payer = addressOf(topics[0] === SETTLED ? topics[2] : topics[1]);
      if (topics[0] === USED)
        return [{ event: 'authorization_used', address, position, payer, nonce: topics[2] ?? '' }];
      if (topics[0] !== SETTLED) return [];
      return [
        {
          event: 'payment_settled',
          address,
          position,
          payer,
          intentCode: BigInt(topics[1] ?? 0),
          asset: addressOf(topics[3]),
          payoutId: wordAt(data, 0),
          amountAtomic: wordAt(data, 2),
          feeAtomic: wordAt(data, 3),
        },
      ];
    }),
  );
}

function lieAbout(log: MoneyLog): MoneyLog {
  return 'nonce' in log ? { ...log, payer: `0x${'1e'.repeat(20)}` } : { ...log, amountAtomic: log.amountAtomic + 1n };
}

/** By the transaction's own logs, as the last block that has it shows them. */
export function evidenceOf(view: readonly Block[], { address, position }: AuthorizationLog): UseEvidence | undefined {
  const block = view[Number(position.blockNumber - (view[0]?.number ?? 0n))];
  let first = 0;
  for (const { id, logs } of block?.transactions ?? []) {
    if (id === position.transactionId && block !== undefined) {
      const index = logs.findIndex((log, place) => first + place > position.logIndex && log.address === address);
      const next = logs[index];
      const transfer = next && transferOf(next, first + index);
      return { transactionId: id, blockHash: block.hash, transfer };
    }
    first += logs.length;
  }
  return undefined;
}

export function transferOf({ topics, data }: Log, logIndex: number): UseEvidence['transfer'] {
  if (topics[0] !== TRANSFER) return undefined;
  return { logIndex, from: addressOf(topics[1]), to: addressOf(topics[2]), valueAtomic: BigInt(data) };
}

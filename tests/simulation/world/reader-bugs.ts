// Bugs of the chain reader to put in on purpose.
import { logKey, type UseEvidence } from '@svc-pay/core';
import { ofNetwork } from '@svc-pay/core/testing';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { transferOf } from '../chain/simulated-reader-node.ts';
import type { ReaderBug } from './reader-process.ts';

/** The cursor moves in one statement, the logs are written in the next. */
const movingCursorFirst: ReaderBug = {
  parts: ({ reader, ...others }, { tables, statement }) => ({
    ...others,
    reader: {
      ...reader,
      passBlocks: async (pass) => {
        const passed = await reader.passBlocks({ ...pass, logs: [] });
        if (!passed || pass.logs.length === 0) return passed;
        return statement('writeLogs', () => {
          for (const log of pass.logs) tables.readLogs.set(ofNetwork(pass.network, logKey(log.position)), log);
          return true;
        });
      },
    },
  }),
};

/** The block at the cursor is never compared with the one that was read. */
const ignoringReorgs: ReaderBug = {
  parts: (parts, { tables }) => ({
    ...parts,
    node: (node) => ({
      ...node,
      readBlocks: async (numbers) => {
        const cursors = [...tables.readerCursors.values()];
        const [first, ...others] = await node.readBlocks(numbers);
        const at = cursors.find((cursor) => cursor.at.number === numbers[0])?.at;
        return [numbers.length === 2 ? (at ?? first) : first, ...others];
      },
    }),
  }),
};

/** A node that does not have the blocks yet is asked for their logs, and its empty answer counts. */
const believingEmptyRanges: ReaderBug = {
  parts: (parts, { chain }) => ({
    ...parts,
    node: (node) => ({
      ...node,
      readHeads: async () => {
        const { finalized } = await node.readHeads();
        const { number, hash, timeSeconds } = chain.head();
        return { head: { number, hash, timeSeconds }, finalized };
      },
      readBlocks: async (numbers) => {
        const known = await node.readBlocks(numbers);
        const first = chain.blocks()[0]?.number ?? 0n;
        return numbers.map((number, index) => known[index] ?? chain.blocks()[Number(number - first)]);
      },
    }),
  }),
};

/** Whether a log was applied before is not asked. */
const countingTwice: ReaderBug = { appliesAgain: true };

/** The payer's first transfer counts, whatever transaction it is of. */
const evidenceFromElsewhere: ReaderBug = {
  parts: (parts, { chain }) => ({
    ...parts,
    node: (node) => ({
      ...node,
      readEvidence: async (uses) => {
        const found = await node.readEvidence(uses);
        return uses.map(({ payer }, index): UseEvidence | undefined => {
          const own = found[index];
          return own && { ...own, transfer: firstTransfer(chain.blocks(), payer) };
        });
      },
    }),
  }),
};

function firstTransfer(blocks: ReturnType<SimulatedChain['blocks']>, payer: string): UseEvidence['transfer'] {
  for (const { transactions } of blocks) {
    const logs = transactions.flatMap((transaction) => transaction.logs);
    const found = logs.flatMap((log, logIndex) => transferOf(log, logIndex) ?? []).find(({ from }) => from === payer);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const READER_BUGS = {
  movingCursorFirst,
  ignoringReorgs,
  believingEmptyRanges,
  countingTwice,
  evidenceFromElsewhere,
} as const;

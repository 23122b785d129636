// Sees every block that the chain reader passes and every log that it applies, and says at once what must never happen; when
// all is quiet, what is missing.
import { type BlockPass, type FinalLog, logKey, type MoneyLog } from '@svc-pay/core';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { FINAL_DEPTH } from '../chain/simulated-node.ts';
import { evidenceOf, moneyLogsOf, type SimulatedReaderNode } from '../chain/simulated-reader-node.ts';
import type { Simulation } from './simulation.ts';

export type ReaderWitness = {
  readonly passed: (pass: Pick<BlockPass, 'to'>) => void;
  /** The log had its effect. */
  readonly applied: (final: FinalLog) => void;
  /** The database was set back: what was applied since is applied anew. */
  readonly setBack: () => void;
  /** Every log of the chain is read and applied. */
  readonly isDone: () => boolean;
  readonly check: () => void;
};

export function createReaderWitness(
  { tables, violate }: Simulation,
  chain: SimulatedChain,
  nodes: readonly SimulatedReaderNode[],
): ReaderWitness {
  const counts = new Map<string, number>();
  const ownLogs = (): readonly MoneyLog[] => {
    const signed = new Set([...tables.authorizations.values()].map(({ payer, nonce }) => `${payer} ${nonce}`));
    return chain
      .blocks()
      .flatMap(moneyLogsOf)
      .filter((log) => !('nonce' in log) || signed.has(`${log.payer} ${log.nonce}`));
  };
  const proofKeys = () => new Set([...tables.logProofs.values()].map(({ log }) => logKey(log.position)));
  return {
    passed: ({ to }) => {
      const voters = nodes.filter(({ hasSeen }) => hasSeen(to.hash)).length;
      const blocks = chain.blocks();
      const isFinal = blocks.slice(0, -FINAL_DEPTH).some(({ hash }) => hash === to.hash);
      // A node that answers alone passes final blocks.
      if (voters < (isFinal ? 1 : Math.min(2, nodes.length)))
        violate('passed what nodes showed', `block ${to.number} ${to.hash} was seen by ${voters} nodes`);
    },
    applied: ({ log, transfer }) => {
      const key = logKey(log.position);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if ((counts.get(key) ?? 0) > 1) violate('each log once', `${key} was applied ${counts.get(key)} times`);
      const blocks = chain.blocks();
      const depth = Number((blocks.at(-1)?.number ?? 0n) - log.position.blockNumber);
      const block = blocks[blocks.length - 1 - depth];
      if (depth < FINAL_DEPTH || block?.hash !== log.position.blockHash)
        violate('applied when final', `${key} of block ${log.position.blockNumber} was ${depth} deep`);
      const told = moneyLogsOf(block ?? ({ transactions: [] } as never)).find(
        ({ position }) => logKey(position) === key,
      );
      if (told === undefined || wordsOf(told) !== wordsOf(log))
        violate('applied what a block said', `${key} is not so`);
      if (log.event !== 'authorization_used') return;
      if (wordsOf(evidenceOf(blocks, log)?.transfer) !== wordsOf(transfer))
        violate('evidence of its own transaction', `${key} is shown by ${wordsOf(transfer)}`);
    },
    setBack: () => {
      const left = proofKeys();
      for (const key of counts.keys()) if (!left.has(key)) counts.delete(key);
    },
    isDone: () => {
      if (tables.readLogs.size > 0) return false;
      const last = chain.blocks().findLast((block) => moneyLogsOf(block).length > 0)?.number ?? 0n;
      const cursors = [...tables.readerCursors.values()];
      return cursors.length === tables.offeredSources.size && cursors.every(({ at }) => at.number >= last);
    },
    check: () => {
      const proofs = proofKeys();
      for (const { event, position } of ownLogs())
        if (!proofs.has(logKey(position)))
          violate('no log missed', `${event} ${logKey(position)} in block ${position.blockNumber}`);
    },
  };
}

const wordsOf = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? field.toString() : field)) ?? 'nothing';

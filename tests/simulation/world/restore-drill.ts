// The drill of a lost database: settlement stops, the tables are set back to a backup, and the restore of core reads from
// the chain what was settled since. Then settlement starts again.
import { restoreFromChain } from '@svc-pay/core';
import { createMemoryLaneStore, createMemoryRestoreStore, type Statement, takeSnapshot } from '@svc-pay/core/testing';
import { createRestoreChain } from '@svc-pay/evm';
import type { NetworkId } from '@svc-pay/protocol';
import { PROCESSOR } from '../chain/chain-state.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import type { SimulatedNode } from '../chain/simulated-node.ts';
import { ACCOUNT, PAYOUT } from './merchant.ts';
import type { Simulation } from './simulation.ts';
import type { Witness } from './witness.ts';

export type RestoreDrill = { readonly backUp: () => Promise<void>; readonly restore: () => Promise<void> };

const PATIENCE_MS = 60_000;
const BACKUP_RETRY_MS = 100;
const statement: Statement = async (_name, action) => action();

/** With `believing` nothing the restored database is taken as it is: a bug. */
export function createRestoreDrill(
  simulation: Simulation,
  network: NetworkId,
  chain: SimulatedChain,
  node: SimulatedNode,
  witness: Witness,
  believing: 'the chain' | 'nothing',
): RestoreDrill {
  const { tables, clock, timeline, note, violate } = simulation;
  let setBack = () => {};
  const pause = (ms: number) => new Promise<void>((resolve) => timeline.after(ms, resolve));
  return {
    // A restore stops at a batch that the backup calls mined and that a reorg gave to a fee bump signed after the backup. So
    // the backup waits until no batch is mined without being final.
    backUp: async () => {
      while ([...tables.batches.values()].some(({ status }) => status === 'mined')) await pause(BACKUP_RETRY_MS);
      if (!simulation.isStorm()) return;
      note('backup', 'is made');
      setBack = takeSnapshot(tables);
    },
    restore: async () => {
      const keys = [...tables.relayers.values()].map(({ address }) => address);
      const isWaiting = (key: string) => chain.pendingNonce(key) > (chain.head().state.nonces.get(key) ?? 0n);
      while (keys.some(isWaiting)) await pause(1_000);
      chain.emptyPool();
      // Every node has seen the last block.
      await pause(1_000);
      setBack();
      witness.setBack(chain.head().state.nonces);
      note('restore', 'the database is set back');
      if (believing === 'nothing') return;
      const restored = await restoreFromChain({
        store: createMemoryRestoreStore(tables, statement, clock, { ...ACCOUNT, terms: PAYOUT }),
        laneStore: createMemoryLaneStore(tables, statement, clock),
        strandedLaneStore: createMemoryLaneStore(tables, statement, clock),
        chains: [
          {
            network,
            chain: createRestoreChain(async (calls) => node.answer(calls), network),
            processor: PROCESSOR,
            deployedAtBlock: chain.blocks()[0]?.number,
          },
        ],
        transferNetworks: [],
        fromBlock: undefined,
        patienceMs: PATIENCE_MS,
        expiryPatienceMs: PATIENCE_MS,
        pause,
        note: ({ step }) => note('restore', step),
      });
      if (!restored.ok) return violate('a restore knows the chain', restored.code);
      for (const { refused, adopted, silentNonces } of restored.networks) {
        note('restore', `${adopted.length} adopted, ${refused.length} refused, ${silentNonces.length} silent`);
        // Told to an operator. A payment of a reverted batch that a reorg revived is refused, and the watchers complete it.
        for (const { reason, intentCode } of refused) note('restore', `refuses ${intentCode}: ${reason}`);
      }
    },
  };
}

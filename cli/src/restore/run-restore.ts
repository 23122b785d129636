// Opens the stores and the chains of a restore, and prints its steps.
import { type ChainRestoreResult, type Clock, type RestoreProgress, restoreFromChain } from '@svc-pay/core';
import { createJsonRpc, createRestoreChain } from '@svc-pay/evm';
import type { Operation } from '@svc-pay/postgres/operator';
import { createLaneStore, createRestoreStore } from '@svc-pay/postgres/restore';
import { parseNetwork } from '@svc-pay/protocol';
import type { NetworkToCheck } from '../ledger/check-ledger.ts';

export type RestoreCommand = {
  readonly operation: Operation;
  readonly clock: Clock;
  readonly networks: readonly NetworkToCheck[];
  /** First block to read; overrides the last block up to which the database is complete. */
  readonly fromBlock: bigint | undefined;
  readonly rpcTimeoutMs: number;
  /** Limit of the wait for pending transactions. */
  readonly patienceMs: number;
  readonly print: (text: string) => void;
};

export async function runRestore(given: RestoreCommand): Promise<ChainRestoreResult> {
  const { operation, clock, fromBlock, patienceMs, print } = given;
  const { pool, actor } = operation;
  return restoreFromChain({
    store: createRestoreStore(pool, { clock, actor }),
    laneStore: createLaneStore(pool, { clock, gasCoinRate: () => undefined }),
    chains: given.networks.map(({ network: name, processor, rpcUrls, deployedAtBlock }) => {
      const network = parseNetwork(name);
      if (network === undefined) throw new Error(`${name} is no network`);
      const rpc = createJsonRpc({ urls: rpcUrls, timeoutMs: given.rpcTimeoutMs });
      return { network, chain: createRestoreChain(rpc, network), processor, deployedAtBlock };
    }),
    fromBlock,
    patienceMs,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    note: (progress) => print(`${textOf(progress)}\n`),
  });
}

function textOf(progress: RestoreProgress): string {
  if (progress.step === 'waiting_for_transactions') return `waiting for transactions of ${progress.keys.join(', ')} …`;
  if (progress.step === 'reading_blocks')
    return `${progress.network}: reading blocks ${progress.fromBlock} to ${progress.toBlock} …`;
  if (progress.step === 'intent_codes_skipped') return `intent codes begin anew, in epoch ${progress.epoch}`;
  const { network, transactions, of, completedPayments } = progress;
  return `${network}: ${transactions} of ${of} transactions, ${completedPayments} payments …`;
}

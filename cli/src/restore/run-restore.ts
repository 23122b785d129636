// Opens the stores and the chains of a restore, and prints its steps.
import { type ChainRestoreResult, type Clock, type RestoreProgress, restoreFromChain } from '@svc-pay/core';
import { createJsonRpc, createRestoreChain } from '@svc-pay/evm';
import type { Operation } from '@svc-pay/postgres/operator';
import {
  createLaneStore,
  createRestoreStore,
  createStrandedLaneStore,
  endConsoleAccess,
  type RequireLock,
  recordUnderLock,
  writeUnderLock,
} from '@svc-pay/postgres/restore';
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { createTransferRestoreChain, openClusterNode } from '@svc-pay/solana';
import type { NetworkToCheck } from '../ledger/check-ledger.ts';

/** A Solana network to restore from. */
export type TransferNetworkToRead = {
  readonly network: NetworkId;
  readonly rpcUrls: readonly [string, ...string[]];
  readonly genesisHash: string | undefined;
};

export type RestoreCommand = {
  readonly operation: Operation;
  readonly clock: Clock;
  readonly networks: readonly NetworkToCheck[];
  readonly transferNetworks: readonly TransferNetworkToRead[];
  /** Solana relayers that began after the backup. */
  readonly lostRelayers: readonly string[];
  /** First block to read; overrides the last block up to which the database is complete. */
  readonly fromBlock: bigint | undefined;
  readonly rpcTimeoutMs: number;
  /** Limit of the wait for pending transactions. */
  readonly patienceMs: number;
  /** Limit of the wait until no Solana transaction can land any more. */
  readonly expiryPatienceMs: number;
  readonly print: (text: string) => void;
};

export async function runRestore(given: RestoreCommand, requireLock: RequireLock): Promise<ChainRestoreResult> {
  const restored = await restoreBooks(given, requireLock);
  if (!restored.ok) return restored;
  await requireLock();
  const { sessions, invitations } = await endConsoleAccess(given.operation);
  if (sessions + invitations > 0)
    given.print(`console: ${sessions} sessions ended, ${invitations} open invitations withdrawn\n`);
  return restored;
}

async function restoreBooks(given: RestoreCommand, requireLock: RequireLock): Promise<ChainRestoreResult> {
  const { operation, clock, fromBlock, patienceMs, print } = given;
  const { pool, actor } = operation;
  const rates = { clock, gasCoinRate: () => undefined };
  return restoreFromChain({
    store: writeUnderLock(createRestoreStore(pool, { clock, actor }), requireLock),
    laneStore: recordUnderLock(createLaneStore(pool, rates), requireLock),
    strandedLaneStore: recordUnderLock(createStrandedLaneStore(pool, rates), requireLock),
    chains: given.networks.map(({ network: name, processor, rpcUrls, deployedAtBlock }) => {
      const network = parseNetwork(name);
      if (network === undefined) throw new Error(`${name} is no network`);
      // The first node is the one with the history. Another one is asked when it fails, not when it is slow.
      const rpc = createJsonRpc({ urls: rpcUrls, timeoutMs: given.rpcTimeoutMs, patienceMs: given.rpcTimeoutMs });
      return { network, chain: createRestoreChain(rpc, network), processor, deployedAtBlock };
    }),
    transferNetworks: given.transferNetworks.map(({ network, rpcUrls, genesisHash }) => {
      const nodes = rpcUrls.map((url) => openClusterNode({ url, network, genesisHash, timeoutMs: given.rpcTimeoutMs }));
      return { network, transfers: createTransferRestoreChain(nodes, network), lostRelayers: given.lostRelayers };
    }),
    fromBlock,
    patienceMs,
    expiryPatienceMs: given.expiryPatienceMs,
    pause: async (ms) => {
      await requireLock();
      await new Promise((resolve) => setTimeout(resolve, ms));
    },
    note: (progress) => print(`${textOf(progress)}\n`),
  });
}

function textOf(progress: RestoreProgress): string {
  if (progress.step === 'waiting_for_transactions') return `waiting for transactions of ${progress.keys.join(', ')} …`;
  if (progress.step === 'waiting_for_expiry')
    return `${progress.network}: waiting for ${progress.blocks} more final blocks, after which no transaction can land …`;
  if (progress.step === 'reading_blocks')
    return `${progress.network}: reading blocks ${progress.fromBlock} to ${progress.toBlock} …`;
  if (progress.step === 'intent_codes_skipped') return `intent codes begin anew, in epoch ${progress.epoch}`;
  const { network, transactions, of, completedPayments } = progress;
  return `${network}: ${transactions} of ${of} transactions, ${completedPayments} payments …`;
}

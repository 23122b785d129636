// Brings a restored database up to date with its chains: reads back what was settled after the backup. All checks that
// could stop the restore run before the first row is written.
import type { Clock } from '@svc-pay/core';
import { type BlockRange, createJsonRpc, findOnChainTransactions, type JsonRpc } from '@svc-pay/evm';
import type { Operation } from '@svc-pay/postgres/operator';
import {
  createLaneStore,
  findUnknownPayouts,
  type LaneToRestore,
  lastKnownBlock,
  listLanes,
  listProcessors,
  type NamedPayout,
  skipUsedIntentCodes,
} from '@svc-pay/postgres/restore';
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { type NetworkToCheck, WrongChain } from '../ledger/check-ledger.ts';
import { type ChainFacts, readChainFacts } from './chain-facts.ts';
import { restoreNetwork } from './restore-network.ts';
import type { NetworkRestore } from './restore-report.ts';

export type RestoreToRun = {
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

export type ChainRestoreResult =
  | { readonly ok: true; readonly epoch: number; readonly networks: readonly NetworkRestore[] }
  | {
      readonly ok: false;
      readonly code: 'transactions_waiting';
      readonly network: string;
      readonly keys: readonly string[];
    }
  | { readonly ok: false; readonly code: 'from_block_unknown'; readonly network: string }
  | {
      readonly ok: false;
      readonly code: 'payouts_unknown';
      readonly network: string;
      readonly payouts: readonly NamedPayout[];
    };

type Surveyed = {
  readonly network: NetworkId;
  readonly rpc: JsonRpc;
  readonly range: BlockRange;
  readonly lanes: readonly LaneToRestore[];
  readonly transactionIds: readonly string[];
  readonly intentCodes: readonly bigint[];
};

const PAUSE_MS = 1_000;

/** Throws if a node or the database does not answer. Rows written until then are consistent; a second run is safe. */
export async function restoreFromChain(given: RestoreToRun): Promise<ChainRestoreResult> {
  const { operation, clock, print } = given;
  const surveyed: Surveyed[] = [];
  for (const network of given.networks) {
    const survey = await surveyNetwork(given, network);
    if ('code' in survey) return survey;
    surveyed.push(survey);
  }
  // Comes first: even a restore that is cut off then guarantees that no intent code is given out twice.
  const codes = surveyed.flatMap(({ intentCodes }) => intentCodes);
  const epoch = await skipUsedIntentCodes(operation, codes);
  print(`intent codes begin anew, in epoch ${epoch}\n`);
  const { pool } = operation;
  const store = createLaneStore(pool, { clock, gasCoinRate: () => undefined });
  const networks: NetworkRestore[] = [];
  for (const survey of surveyed) networks.push(await restoreNetwork({ ...survey, pool, clock, store, print }));
  return { ok: true, epoch, networks };
}

async function surveyNetwork(
  { operation: { pool }, fromBlock, rpcTimeoutMs, patienceMs, print }: RestoreToRun,
  { network: name, chainId, processor, rpcUrls, deployedAtBlock }: NetworkToCheck,
): Promise<Surveyed | Extract<ChainRestoreResult, { ok: false }>> {
  const network = parseNetwork(name);
  if (network === undefined) throw new Error(`${name} is no network`);
  const rpc = createJsonRpc({ urls: rpcUrls, timeoutMs: rpcTimeoutMs });
  const lanes = await listLanes(pool, network);
  const facts = await awaitPool(rpc, lanes, patienceMs, print);
  if (facts.chainId !== chainId) throw new WrongChain(`the node of ${network} belongs to chain ${facts.chainId}`);
  if (facts.waiting.length > 0) return { ok: false, code: 'transactions_waiting', network, keys: facts.waiting };
  const from = fromBlock ?? (await lastKnownBlock(pool, network, facts.counts)) ?? deployedAtBlock;
  if (from === undefined) return { ok: false, code: 'from_block_unknown', network };
  const range = { fromBlock: from, toBlock: facts.headBlock };
  const processors = [...new Set([processor.toLowerCase(), ...(await listProcessors(pool, network))])];
  print(`${network}: reading blocks ${range.fromBlock} to ${range.toBlock} …\n`);
  const transactionIds: string[] = [];
  const intentCodes: bigint[] = [];
  const payouts: NamedPayout[] = [];
  for await (const found of findOnChainTransactions(rpc, processors, range)) {
    transactionIds.push(...found.map(({ transactionId }) => transactionId));
    intentCodes.push(...found.flatMap((onChain) => onChain.intentCodes));
    payouts.push(...found.flatMap((onChain) => onChain.payouts));
  }
  const unknown = await findUnknownPayouts(pool, network, payouts);
  if (unknown.length > 0) return { ok: false, code: 'payouts_unknown', network, payouts: unknown };
  return { network, rpc, range, lanes, transactionIds, intentCodes };
}

/** Waits up to `patienceMs` until no key has a pending transaction, which might settle after the chain was read. */
async function awaitPool(
  rpc: JsonRpc,
  lanes: readonly LaneToRestore[],
  patienceMs: number,
  print: (text: string) => void,
): Promise<ChainFacts> {
  const keys = lanes.map(({ relayer }) => relayer);
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const facts = await readChainFacts(rpc, keys);
    if (facts.waiting.length === 0 || waitedMs >= patienceMs) return facts;
    print(`waiting for transactions of ${facts.waiting.join(', ')} …\n`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

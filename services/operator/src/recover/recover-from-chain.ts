// A restored database is brought up to its chains: what was settled after the backup is read back from there. Everything
// that could stop it is asked before the first row is written.
import type { Clock } from '@svc-pay/core';
import { type BlockRange, createJsonRpc, findSent, type JsonRpc } from '@svc-pay/evm';
import type { Operation } from '@svc-pay/postgres/operator';
import {
  beginCodeEpoch,
  createLaneStore,
  findUnknownPayouts,
  type LaneToRecover,
  lastKnownBlock,
  listLanes,
  listProcessors,
  type NamedPayout,
} from '@svc-pay/postgres/recover';
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { type NetworkToCheck, WrongChain } from '../ledger/check-ledger.ts';
import { type ChainFacts, readChainFacts } from './chain-facts.ts';
import { recoverNetwork } from './recover-network.ts';
import type { NetworkRecovery } from './recovery-report.ts';

export type RecoveryToRun = {
  readonly operation: Operation;
  readonly clock: Clock;
  readonly networks: readonly NetworkToCheck[];
  /** Instead of the last block that the database knows everything of. */
  readonly fromBlock: bigint | undefined;
  readonly rpcTimeoutMs: number;
  /** How long to wait for transactions that are on their way. */
  readonly patienceMs: number;
  readonly say: (text: string) => void;
};

export type Recovery =
  | { readonly ok: true; readonly epoch: number; readonly networks: readonly NetworkRecovery[] }
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
  readonly lanes: readonly LaneToRecover[];
  readonly transactionIds: readonly string[];
  readonly intentCodes: readonly bigint[];
};

const PAUSE_MS = 1_000;

/** Throws when a node or the database does not answer; what was written until then is whole, and done again is the same. */
export async function recoverFromChain(given: RecoveryToRun): Promise<Recovery> {
  const { operation, clock, say } = given;
  const surveyed: Surveyed[] = [];
  for (const network of given.networks) {
    const survey = await surveyNetwork(given, network);
    if ('code' in survey) return survey;
    surveyed.push(survey);
  }
  // First of all: a run that is cut off has at least made sure that no code is given out twice.
  const codes = surveyed.flatMap(({ intentCodes }) => intentCodes);
  const epoch = await beginCodeEpoch(operation, codes);
  say(`intent codes begin anew, in epoch ${epoch}\n`);
  const { pool } = operation;
  const store = createLaneStore(pool, { clock, gasCoinRate: () => undefined });
  const networks: NetworkRecovery[] = [];
  for (const survey of surveyed) networks.push(await recoverNetwork({ ...survey, pool, clock, store, say }));
  return { ok: true, epoch, networks };
}

async function surveyNetwork(
  { operation: { pool }, fromBlock, rpcTimeoutMs, patienceMs, say }: RecoveryToRun,
  { network: name, chainId, processor, rpcUrls, deployedAtBlock }: NetworkToCheck,
): Promise<Surveyed | Extract<Recovery, { ok: false }>> {
  const network = parseNetwork(name);
  if (network === undefined) throw new Error(`${name} is no network`);
  const rpc = createJsonRpc({ urls: rpcUrls, timeoutMs: rpcTimeoutMs });
  const lanes = await listLanes(pool, network);
  const facts = await awaitPool(rpc, lanes, patienceMs, say);
  if (facts.chainId !== chainId) throw new WrongChain(`the node of ${network} belongs to chain ${facts.chainId}`);
  if (facts.waiting.length > 0) return { ok: false, code: 'transactions_waiting', network, keys: facts.waiting };
  const from = fromBlock ?? (await lastKnownBlock(pool, network, facts.counts)) ?? deployedAtBlock;
  if (from === undefined) return { ok: false, code: 'from_block_unknown', network };
  const range = { fromBlock: from, toBlock: facts.headBlock };
  const processors = [...new Set([processor.toLowerCase(), ...(await listProcessors(pool, network))])];
  say(`${network}: reading blocks ${range.fromBlock} to ${range.toBlock} …\n`);
  const transactionIds: string[] = [];
  const intentCodes: bigint[] = [];
  const payouts: NamedPayout[] = [];
  for await (const found of findSent(rpc, processors, range)) {
    transactionIds.push(...found.map(({ transactionId }) => transactionId));
    intentCodes.push(...found.flatMap((sent) => sent.intentCodes));
    payouts.push(...found.flatMap((sent) => sent.payouts));
  }
  const unknown = await findUnknownPayouts(pool, network, payouts);
  if (unknown.length > 0) return { ok: false, code: 'payouts_unknown', network, payouts: unknown };
  return { network, rpc, range, lanes, transactionIds, intentCodes };
}

/** Whatever our keys sent before the end is in a block first: it might be settled after it was looked for. */
async function awaitPool(
  rpc: JsonRpc,
  lanes: readonly LaneToRecover[],
  patienceMs: number,
  say: (text: string) => void,
): Promise<ChainFacts> {
  const keys = lanes.map(({ relayer }) => relayer);
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const facts = await readChainFacts(rpc, keys);
    if (facts.waiting.length === 0 || waitedMs >= patienceMs) return facts;
    say(`waiting for transactions of ${facts.waiting.join(', ')} …\n`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

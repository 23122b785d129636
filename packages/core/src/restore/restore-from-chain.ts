// Brings a restored database up to date with its chains: reads back what was settled after the backup. All checks that
// could stop the restore run before the first row is written, except for the row that notes where to begin: it is written
// first, with what the database knows, and goes when everything is in the books.
import type { NetworkId } from '@svc-pay/protocol';
import { endRestore } from './end-restore.ts';
import { blockOfBooks, firstBlockToRead } from './first-block-to-read.ts';
import type { BlockRange, ChainFacts, NamedPayout, RestoreChain } from './restore-chain.ts';
import { type RestoreProgress, restoreNetwork } from './restore-network.ts';
import type { NetworkRestore } from './restore-report.ts';
import type { LaneToRestore, RestoreLaneStore, RestoreStore } from './restore-store.ts';
import {
  type BlockAhead,
  restoreTransfers,
  type SurveyedTransfers,
  surveyTransfers,
  type TransferNetwork,
} from './restore-transfers.ts';

export type ChainToRestoreFrom = {
  readonly network: NetworkId;
  readonly chain: RestoreChain;
  readonly processor: string;
  /** Deployment block of the processor, if it is known. */
  readonly deployedAtBlock: bigint | undefined;
};

export type RestoreToRun = {
  readonly store: RestoreStore;
  readonly laneStore: RestoreLaneStore;
  /** Of the lanes that settle and return stranded transfers. */
  readonly strandedLaneStore: RestoreLaneStore;
  readonly chains: readonly ChainToRestoreFrom[];
  /** Networks whose payers sign whole transactions. */
  readonly transferNetworks: readonly TransferNetwork[];
  /** First block to read; overrides the last block up to which the database is complete. */
  readonly fromBlock: bigint | undefined;
  /** Limit of the wait for pending transactions. */
  readonly patienceMs: number;
  /** Limit of the wait until no transaction of `transferNetworks` can land any more. */
  readonly expiryPatienceMs: number;
  readonly pause: (ms: number) => Promise<void>;
  readonly note: (progress: RestoreProgress) => void;
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
  | BlockAhead
  | {
      readonly ok: false;
      readonly code: 'payouts_unknown';
      readonly network: string;
      readonly payouts: readonly NamedPayout[];
    };

type Surveyed = {
  readonly network: NetworkId;
  readonly chain: RestoreChain;
  readonly range: BlockRange;
  readonly lanes: readonly LaneToRestore[];
  readonly processors: readonly string[];
  readonly transactionIds: readonly string[];
  readonly intentCodes: readonly bigint[];
};

const PAUSE_MS = 1_000;

/** Throws if a node or the database does not answer. Rows written until then are consistent; a second run is safe. */
export async function restoreFromChain(given: RestoreToRun): Promise<ChainRestoreResult> {
  const { store, laneStore, strandedLaneStore, note } = given;
  const surveyed: Surveyed[] = [];
  for (const chain of given.chains) {
    const survey = await surveyNetwork(given, chain);
    if ('code' in survey) return survey;
    surveyed.push(survey);
  }
  const transfers: SurveyedTransfers[] = [];
  for (const network of given.transferNetworks) {
    const survey = await surveyTransfers(given, network);
    if ('code' in survey) return survey;
    transfers.push(survey);
  }
  // Comes first: even a restore that is cut off then guarantees that no intent code is given out twice.
  const epoch = await store.skipUsedIntentCodes(surveyed.flatMap(({ intentCodes }) => intentCodes));
  note({ step: 'intent_codes_skipped', epoch });
  const networks: NetworkRestore[] = [];
  for (const survey of surveyed) {
    const report = await restoreNetwork({ ...survey, store, laneStore, strandedLaneStore, note });
    networks.push(await endRestore(store, report, { fromBlock: survey.range.fromBlock, relayers: [] }));
  }
  for (const survey of transfers) {
    const report = await restoreTransfers({ ...survey, store, laneStore, note });
    networks.push(await endRestore(store, report, { fromBlock: survey.fromSlot, relayers: survey.lostRelayers }));
  }
  return { ok: true, epoch, networks };
}

async function surveyNetwork(
  given: RestoreToRun,
  { network, chain, processor, deployedAtBlock }: ChainToRestoreFrom,
): Promise<Surveyed | Extract<ChainRestoreResult, { ok: false }>> {
  const { store, fromBlock, note } = given;
  const lanes = await store.loadLanes(network);
  const facts = await awaitPool(given, chain, lanes);
  const known = firstBlockToRead(await store.loadRecordedBlocks(network), facts.counts);
  const own = blockOfBooks(await store.loadOpenRestore(network), known) ?? deployedAtBlock;
  await store.openRestore(network, { fromBlock: own, relayers: [] });
  const from = fromBlock ?? own;
  if (from === undefined) return { ok: false, code: 'from_block_unknown', network };
  if (from > facts.headBlock) return { ok: false, code: 'from_block_ahead', network, newest: facts.headBlock };
  if (facts.waiting.length > 0) return { ok: false, code: 'transactions_waiting', network, keys: facts.waiting };
  const range = { fromBlock: from, toBlock: facts.headBlock };
  const processors = [...new Set([processor.toLowerCase(), ...(await store.loadProcessors(network))])];
  note({ step: 'reading_blocks', network, ...range });
  const transactionIds: string[] = [];
  const intentCodes: bigint[] = [];
  const payouts: NamedPayout[] = [];
  for await (const found of chain.findTransactions(processors, await store.loadWallets(network), range)) {
    transactionIds.push(...found.map(({ transactionId }) => transactionId));
    intentCodes.push(...found.flatMap((onChain) => onChain.intentCodes));
    payouts.push(...found.flatMap((onChain) => onChain.payouts));
  }
  // What the operator gives is noted once the nodes have answered for it: a wrong number would be read by every later run.
  await store.openRestore(network, { fromBlock: from, relayers: [] });
  const unknown = await store.findUnknownPayouts(network, payouts);
  if (unknown.length > 0) return { ok: false, code: 'payouts_unknown', network, payouts: unknown };
  return { network, chain, range, lanes, processors, transactionIds, intentCodes };
}

/** Waits up to `patienceMs` until no key has a pending transaction, which might settle after the chain was read. */
async function awaitPool(
  { patienceMs, pause, note }: RestoreToRun,
  chain: RestoreChain,
  lanes: readonly LaneToRestore[],
): Promise<ChainFacts> {
  const keys = lanes.map(({ relayer }) => relayer);
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const facts = await chain.readFacts(keys);
    if (facts.waiting.length === 0 || waitedMs >= patienceMs) return facts;
    note({ step: 'waiting_for_transactions', keys: facts.waiting });
    await pause(PAUSE_MS);
  }
}

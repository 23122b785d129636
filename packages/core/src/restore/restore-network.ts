// Restores one network: every transaction that the chain has and the database may lack, in the order of the chain. Each
// is stored as it was when sent, then recorded by the lane's own steps under the lane's fence. After an interruption
// the next run continues where this one stopped.
import type { NetworkId } from '@svc-pay/protocol';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import type { LaneLease } from '../lane/lane-store.ts';
import { LOST_LANE } from './decide-restored-batch.ts';
import type { OnChainTransaction } from './on-chain-transaction.ts';
import { LaneTakenOver, recordPendingBatches } from './record-pending-batches.ts';
import type { BlockRange, RestoreChain } from './restore-chain.ts';
import { addTransaction, type NetworkRestore, newReport } from './restore-report.ts';
import type { LaneToRestore, RestoreLaneStore, RestoreStore } from './restore-store.ts';

/** Steps that the operator is told of while the restore runs. */
export type RestoreProgress =
  | { readonly step: 'waiting_for_transactions'; readonly keys: readonly string[] }
  | ({ readonly step: 'reading_blocks'; readonly network: NetworkId } & BlockRange)
  | { readonly step: 'waiting_for_expiry'; readonly network: NetworkId; readonly blocks: bigint }
  | { readonly step: 'intent_codes_skipped'; readonly epoch: number }
  | {
      readonly step: 'transactions_restored';
      readonly network: NetworkId;
      readonly transactions: number;
      readonly of: number;
      readonly completedPayments: number;
    };

export type NetworkToRestore = {
  readonly store: RestoreStore;
  readonly laneStore: RestoreLaneStore;
  /** Of the lanes that settle and return stranded transfers. */
  readonly strandedLaneStore: RestoreLaneStore;
  readonly chain: RestoreChain;
  readonly network: NetworkId;
  readonly range: BlockRange;
  readonly lanes: readonly LaneToRestore[];
  /** Processors of this installation, in lower case. A call of any other contract proves nothing. */
  readonly processors: readonly string[];
  /** Transaction ids from the logs, in the order of the chain. */
  readonly transactionIds: readonly string[];
  readonly note: (progress: RestoreProgress) => void;
};

type Run = NetworkToRestore & {
  readonly leases: Map<string, LaneLease>;
  readonly report: NetworkRestore;
  /** Relayers of stranded transfers that began after the backup. */
  readonly strandedRelayers: Set<string>;
};

const PAGE = 40;

export async function restoreNetwork(given: NetworkToRestore): Promise<NetworkRestore> {
  const { chain, network, range, processors, transactionIds, note } = given;
  const run = {
    ...given,
    leases: new Map<string, LaneLease>(),
    report: newReport(network, range),
    strandedRelayers: new Set<string>(),
  };
  for (const { relayer } of given.lanes) await takeLease(run, relayer);
  for (let start = 0; start < transactionIds.length; start += PAGE) {
    await restorePage(run, await chain.readTransactions(transactionIds.slice(start, start + PAGE), processors));
    const { transactions, completedPayments } = run.report;
    note({ step: 'transactions_restored', network, transactions, of: transactionIds.length, completedPayments });
  }
  const { counts } = await chain.readFacts([...run.leases.keys()]);
  for (const lease of run.leases.values()) {
    const count = counts.get(lease.relayer) ?? 0n;
    await restoreSilent(run, lease, count);
    run.report.unconfirmedTransactions += await recordBatches(run, lease);
    await lift(run, lease, count);
  }
  return run.report;
}

async function takeLease({ laneStore, network, leases }: Run, relayer: string): Promise<LaneLease> {
  const lane = { network, relayer };
  const own = { ...lane, epoch: await laneStore.takeOver(lane) };
  leases.set(relayer, own);
  return own;
}

/** Adds a relayer that the database lacks. Undefined where it can't: no payout of the database has the processor. */
async function leaseOf(
  run: Run,
  relayer: string,
  processor: string,
  duty: LaneToRestore['duty'],
): Promise<LaneLease | undefined> {
  const own = run.leases.get(relayer);
  if (own !== undefined) return own;
  if (!(await run.store.addLostLane({ network: run.network, relayer }, processor, duty))) return undefined;
  if (duty === 'resolve_stranded') run.strandedRelayers.add(relayer);
  return takeLease(run, relayer);
}

async function restorePage(run: Run, page: readonly OnChainTransaction[]): Promise<void> {
  const { store, report } = run;
  const touched = new Set<LaneLease>();
  for (const onChain of page) {
    report.transactions += 1;
    if (onChain.form === 'resolve_stranded') await restoreStranded(run, onChain, touched);
    if (onChain.form === 'refund') await restoreRefund(run, onChain, touched);
    const [first] = onChain.carried;
    if (onChain.form !== 'settle' || first === undefined) continue;
    if (!mayBeOurs(run, onChain)) continue;
    const lease = await leaseOf(run, onChain.relayer, first.processor, 'settle');
    if (lease === undefined) continue;
    const restored = await store.restoreTransaction(lease, onChain);
    if (restored === undefined) throw new LaneTakenOver(onChain.relayer);
    addTransaction(report, onChain.transactionId, restored);
    touched.add(lease);
  }
  for (const lease of touched) await recordBatches(run, lease);
}

/** Its nonce and its gas are in the books then. Of a relayer that the backup does not know, nobody's refund is believed. */
async function restoreRefund({ store, leases, report }: Run, onChain: OnChainTransaction, touched: Set<LaneLease>) {
  const lease = leases.get(onChain.relayer);
  if (lease === undefined) return;
  const restored = await store.restoreTransaction(lease, onChain);
  if (restored === undefined) throw new LaneTakenOver(onChain.relayer);
  addTransaction(report, onChain.transactionId, restored);
  touched.add(lease);
}

/** A transaction that was reverted moved no money, and its nonce is lifted over. */
async function restoreStranded(run: Run, onChain: OnChainTransaction, touched: Set<LaneLease>): Promise<void> {
  const { store, chain, processors, range, report } = run;
  const { resolved, relayer, transactionId, blockNumber } = onChain;
  if (resolved === undefined || !processors.includes(resolved.carried.processor)) return;
  const { carried } = resolved;
  const lease = await leaseOf(run, relayer, carried.processor, 'resolve_stranded');
  if (lease === undefined) return;
  const { recorded, claimedAtSeconds } = await store.findStrandedClaim(carried.claimKey);
  const { fromBlock } = range;
  const traced = { carried, sinceSeconds: claimedAtSeconds, fromBlock, toBlock: blockNumber };
  const position = recorded ? undefined : await chain.findStranding(traced);
  const restored = await store.restoreStranded(lease, { ...onChain, resolved }, position);
  if (restored === undefined) throw new LaneTakenOver(relayer);
  if (!restored.ok) report.notRebuilt.push({ transactionId, reason: restored.reason });
  else addTransaction(report, transactionId, restored);
  touched.add(lease);
}

/**
 * Anybody may submit a direct payment and write any intent code behind it, so its transaction is believed only if a
 * relayer that the backup knows has sent it. A processor's own logs prove its payments, whoever sent them; a contract that
 * only looks like a processor proves nothing.
 */
function mayBeOurs({ lanes, processors }: Run, { carried, relayer }: OnChainTransaction): boolean {
  return (
    carried.every(({ direct, processor }) => direct || processors.includes(processor)) &&
    (!carried.some(({ direct }) => direct) || lanes.some((lane) => lane.relayer === relayer))
  );
}

/**
 * Restores transactions without a log that the survey looks for: they were reverted as a whole, or carry direct payments
 * to a wallet that the backup does not know, but used nonces.
 */
async function restoreSilent(run: Run, lease: LaneLease, count: bigint): Promise<void> {
  const { store, chain, range, report, lanes } = run;
  // The next nonce of the backup: the restored transactions have raised the lane's own by now.
  const from = lanes.find(({ relayer }) => relayer === lease.relayer)?.nextNonce ?? LOST_LANE.nextNonce;
  const missing = [
    ...(await store.findMissingNonces(lease, from, count)),
    ...(await findBumpedNonces(run, lease, count)),
  ];
  if (missing.length === 0) return;
  try {
    // Nonces before the range were already missing in the backup.
    const first = range.fromBlock === 0n ? 0n : await chain.countAt(lease.relayer, range.fromBlock - 1n);
    for (const nonce of missing.filter((one) => one >= first)) {
      const id = await chain.findByNonce(lease.relayer, nonce, range);
      const onChain = await chain.readTransactions([id], run.processors);
      await restorePage(run, report.notRebuilt.some(({ transactionId }) => transactionId === id) ? [] : onChain);
    }
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    report.silentNonces.push(...missing.map((nonce) => `${lease.relayer} ${nonce}`));
  }
}

/**
 * Nonces that the chain has used and whose batch has none of its transactions there: a fee bump was signed after the
 * backup, or another program used the key.
 */
async function findBumpedNonces(run: Run, lease: LaneLease, count: bigint): Promise<readonly bigint[]> {
  if (resolvesStranded(run, lease)) return [];
  const used = (await run.laneStore.loadPendingBatches(lease)).filter(({ nonce }) => nonce < count);
  const mined = new Set((await run.chain.findMined(used)).map(({ batchId }) => batchId));
  return used.filter(({ id }) => !mined.has(id)).map(({ nonce }) => nonce);
}

/** Batches of stranded transfers have a store of their own. */
function resolvesStranded({ lanes, strandedRelayers }: Run, { relayer }: LaneLease): boolean {
  return strandedRelayers.has(relayer) || lanes.find((lane) => lane.relayer === relayer)?.duty === 'resolve_stranded';
}

async function recordBatches(run: Run, lease: LaneLease): Promise<number> {
  const { strandedLaneStore } = run;
  return recordPendingBatches(resolvesStranded(run, lease) ? { ...run, laneStore: strandedLaneStore } : run, lease);
}

async function lift({ store, lanes, report }: Run, lease: LaneLease, count: bigint): Promise<void> {
  const nextNonce = await store.liftLane(lease, count);
  if (nextNonce === undefined) throw new LaneTakenOver(lease.relayer);
  const known = lanes.find(({ relayer }) => relayer === lease.relayer);
  report.lanes.push({
    relayer: lease.relayer,
    nonceBefore: known?.nextNonce.toString() ?? null,
    nextNonce: nextNonce.toString(),
  });
}

// Restores one network: every transaction that the chain has and the database may lack, in the order of the chain. Each
// is stored as it was when sent, then recorded by the lane's own steps under the lane's fence. After an interruption
// the next run continues where this one stopped.
import {
  ChainUnavailable,
  type Clock,
  isConfirmedBatch,
  type LaneLease,
  type LaneStore,
  type OnChainTransaction,
} from '@svc-pay/core';
import { type BlockRange, countAt, findByNonce, findMined, type JsonRpc, readOnChainTransaction } from '@svc-pay/evm';
import {
  addLostLane,
  type LaneToRestore,
  liftLane,
  missingNonces,
  restoreTransaction,
} from '@svc-pay/postgres/restore';
import type { NetworkId } from '@svc-pay/protocol';
import { readChainFacts } from './chain-facts.ts';
import { addTransaction, type NetworkRestore, newReport } from './restore-report.ts';

export type NetworkToRestore = {
  readonly pool: Parameters<typeof restoreTransaction>[0];
  readonly clock: Clock;
  readonly rpc: JsonRpc;
  readonly store: LaneStore;
  readonly network: NetworkId;
  readonly range: BlockRange;
  readonly lanes: readonly LaneToRestore[];
  /** Transaction ids from the logs, in the order of the chain. */
  readonly transactionIds: readonly string[];
  readonly print: (text: string) => void;
};

type Run = NetworkToRestore & { readonly leases: Map<string, LaneLease>; readonly report: NetworkRestore };

/** Thrown if a process took over a lane during the restore: a service was started. */
export class LaneTakenOver extends Error {
  override readonly name = 'LaneTakenOver';
}

const PAGE = 40;

export async function restoreNetwork(given: NetworkToRestore): Promise<NetworkRestore> {
  const { rpc, network, range, transactionIds, print } = given;
  const run = { ...given, leases: new Map<string, LaneLease>(), report: newReport(network, range) };
  for (const { relayer } of given.lanes) await takeLease(run, relayer);
  for (let start = 0; start < transactionIds.length; start += PAGE) {
    await restorePage(run, await readOnChainTransaction(rpc, network, transactionIds.slice(start, start + PAGE)));
    const { transactions, completedPayments } = run.report;
    print(`${network}: ${transactions} of ${transactionIds.length} transactions, ${completedPayments} payments …\n`);
  }
  const { counts } = await readChainFacts(rpc, [...run.leases.keys()]);
  for (const lane of run.leases.values()) {
    const count = counts.get(lane.relayer) ?? 0n;
    await restoreSilent(run, lane, count);
    run.report.unconfirmedTransactions += await recordPendingBatches(run, lane);
    await lift(run, lane, count);
  }
  return run.report;
}

async function takeLease({ store, network, leases }: Run, relayer: string): Promise<LaneLease> {
  const lane = { network, relayer };
  const own = { ...lane, epoch: await store.takeOver(lane) };
  leases.set(relayer, own);
  return own;
}

async function restorePage(run: Run, page: readonly OnChainTransaction[]): Promise<void> {
  const { pool, clock, network, report } = run;
  const touched = new Set<LaneLease>();
  for (const onChain of page) {
    report.transactions += 1;
    if (onChain.form === 'resolve_stranded') report.notRebuilt.push(onChain.transactionId);
    const [first] = onChain.carried;
    if (onChain.form !== 'settle' || first === undefined) continue;
    if (!run.leases.has(onChain.relayer))
      await addLostLane(pool, { network, relayer: onChain.relayer }, first.processor, clock.nowMs());
    const lane = run.leases.get(onChain.relayer) ?? (await takeLease(run, onChain.relayer));
    const restored = await restoreTransaction(pool, lane, onChain, clock.nowMs());
    if (restored === undefined) throw new LaneTakenOver(onChain.relayer);
    addTransaction(report, onChain.transactionId, restored);
    touched.add(lane);
  }
  for (const lane of touched) await recordPendingBatches(run, lane);
}

/** Restores transactions without a log: they were reverted as a whole, but used nonces. */
async function restoreSilent(run: Run, lane: LaneLease, count: bigint): Promise<void> {
  const { pool, rpc, network, range, report } = run;
  const missing = await missingNonces(pool, lane, count);
  if (missing.length === 0) return;
  try {
    // Nonces before the range were already missing in the backup.
    const first = range.fromBlock === 0n ? 0n : await countAt(rpc, lane.relayer, range.fromBlock - 1n);
    for (const nonce of missing.filter((one) => one >= first)) {
      const id = await findByNonce(rpc, lane.relayer, nonce, range);
      const onChain = await readOnChainTransaction(rpc, network, [id]);
      await restorePage(run, report.notRebuilt.includes(id) ? [] : onChain);
    }
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    report.silentNonces.push(...missing.map((nonce) => `${lane.relayer} ${nonce}`));
  }
}

/** Records mined batches with enough confirmations. Returns the number of mined batches without enough. */
async function recordPendingBatches({ rpc, store, lanes, report }: Run, lease: LaneLease): Promise<number> {
  // Transactions for stranded transfers follow other rules; settlement handles them.
  if (lanes.find(({ relayer }) => relayer === lease.relayer)?.duty === 'resolve_stranded') return 0;
  const pendingBatches = await store.loadPendingBatches(lease);
  const mined = await findMined(rpc, pendingBatches);
  let unconfirmed = 0;
  for (const batch of pendingBatches) {
    const found = mined.find(({ batchId }) => batchId === batch.id);
    if (found === undefined) continue;
    if (!isConfirmedBatch(found, batch.items)) {
      unconfirmed += 1;
      continue;
    }
    if (!(await store.recordMined(lease, [{ batch, mined: found }]))) throw new LaneTakenOver(lease.relayer);
    report.completedPayments += found.items.filter(({ outcome }) => outcome === 'settled').length;
  }
  return unconfirmed;
}

async function lift({ pool, clock, lanes, report }: Run, lease: LaneLease, count: bigint): Promise<void> {
  const nextNonce = await liftLane(pool, lease, count, clock.nowMs());
  if (nextNonce === undefined) throw new LaneTakenOver(lease.relayer);
  const known = lanes.find(({ relayer }) => relayer === lease.relayer);
  report.lanes.push({
    relayer: lease.relayer,
    nonceBefore: known?.nextNonce.toString() ?? null,
    nextNonce: nextNonce.toString(),
  });
}

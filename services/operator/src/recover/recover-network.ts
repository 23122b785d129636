// One network's part: every transaction that the chain has and the database may lack, in the chain's order. Each is stored
// as it was when it was sent, and then recorded by the lane's own steps, under the lane's own fence. Whatever is cut off in
// the middle is found where it is by the next run.
import {
  ChainUnavailable,
  type Clock,
  type HeldLane,
  isConfirmedBatch,
  type LaneStore,
  type SentTransaction,
} from '@svc-pay/core';
import { type BlockRange, countAt, findByNonce, findMined, type JsonRpc, readSent } from '@svc-pay/evm';
import {
  addLostLane,
  type LaneToRecover,
  liftLane,
  missingNonces,
  restoreTransaction,
} from '@svc-pay/postgres/recover';
import type { NetworkId } from '@svc-pay/protocol';
import { readChainFacts } from './chain-facts.ts';
import { addTransaction, type NetworkRecovery, newReport } from './recovery-report.ts';

export type NetworkToRecover = {
  readonly pool: Parameters<typeof restoreTransaction>[0];
  readonly clock: Clock;
  readonly rpc: JsonRpc;
  readonly store: LaneStore;
  readonly network: NetworkId;
  readonly range: BlockRange;
  readonly lanes: readonly LaneToRecover[];
  /** As the logs have them, in the chain's order. */
  readonly transactionIds: readonly string[];
  readonly say: (text: string) => void;
};

type Run = NetworkToRecover & { readonly held: Map<string, HeldLane>; readonly report: NetworkRecovery };

/** Somebody took a lane while it was recovered: a service was started. */
export class LaneTakenOver extends Error {
  override readonly name = 'LaneTakenOver';
}

const PAGE = 40;

export async function recoverNetwork(given: NetworkToRecover): Promise<NetworkRecovery> {
  const { rpc, network, range, transactionIds, say } = given;
  const run = { ...given, held: new Map<string, HeldLane>(), report: newReport(network, range) };
  for (const { relayer } of given.lanes) await hold(run, relayer);
  for (let start = 0; start < transactionIds.length; start += PAGE) {
    await restorePage(run, await readSent(rpc, network, transactionIds.slice(start, start + PAGE)));
    const { transactions, completedPayments } = run.report;
    say(`${network}: ${transactions} of ${transactionIds.length} transactions, ${completedPayments} payments …\n`);
  }
  const { counts } = await readChainFacts(rpc, [...run.held.keys()]);
  for (const lane of run.held.values()) {
    const count = counts.get(lane.relayer) ?? 0n;
    await restoreSilent(run, lane, count);
    run.report.unconfirmedTransactions += await recordFlight(run, lane);
    await lift(run, lane, count);
  }
  return run.report;
}

async function hold({ store, network, held }: Run, relayer: string): Promise<HeldLane> {
  const lane = { network, relayer };
  const own = { ...lane, epoch: await store.takeOver(lane) };
  held.set(relayer, own);
  return own;
}

async function restorePage(run: Run, page: readonly SentTransaction[]): Promise<void> {
  const { pool, clock, network, report } = run;
  const touched = new Set<HeldLane>();
  for (const sent of page) {
    report.transactions += 1;
    if (sent.form === 'recover') report.notRebuilt.push(sent.transactionId);
    const [first] = sent.carried;
    if (sent.form !== 'settle' || first === undefined) continue;
    if (!run.held.has(sent.relayer))
      await addLostLane(pool, { network, relayer: sent.relayer }, first.processor, clock.nowMs());
    const lane = run.held.get(sent.relayer) ?? (await hold(run, sent.relayer));
    const restored = await restoreTransaction(pool, lane, sent, clock.nowMs());
    if (restored === undefined) throw new LaneTakenOver(sent.relayer);
    addTransaction(report, sent.transactionId, restored);
    touched.add(lane);
  }
  for (const lane of touched) await recordFlight(run, lane);
}

/** Transactions without a log, because they were undone as a whole: they used up nonces all the same. */
async function restoreSilent(run: Run, lane: HeldLane, count: bigint): Promise<void> {
  const { pool, rpc, network, range, report } = run;
  const missing = await missingNonces(pool, lane, count);
  if (missing.length === 0) return;
  try {
    // What lies before was missing already when it was backed up.
    const first = range.fromBlock === 0n ? 0n : await countAt(rpc, lane.relayer, range.fromBlock - 1n);
    for (const nonce of missing.filter((one) => one >= first)) {
      const id = await findByNonce(rpc, lane.relayer, nonce, range);
      const sent = await readSent(rpc, network, [id]);
      await restorePage(run, report.notRebuilt.includes(id) ? [] : sent);
    }
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    report.silentNonces.push(...missing.map((nonce) => `${lane.relayer} ${nonce}`));
  }
}

/** What of the lane's transactions is mined and deep enough is recorded. Answers how many are mined and are not. */
async function recordFlight({ rpc, store, lanes, report }: Run, held: HeldLane): Promise<number> {
  // Recoveries of stranded money fly by rules of their own, and settlement looks after them.
  if (lanes.find(({ relayer }) => relayer === held.relayer)?.duty === 'recover') return 0;
  const flight = await store.loadFlight(held);
  const mined = await findMined(rpc, flight);
  let unconfirmed = 0;
  for (const batch of flight) {
    const found = mined.find(({ batchId }) => batchId === batch.id);
    if (found === undefined) continue;
    if (!isConfirmedBatch(found, batch.items)) {
      unconfirmed += 1;
      continue;
    }
    if (!(await store.recordMined(held, [{ batch, mined: found }]))) throw new LaneTakenOver(held.relayer);
    report.completedPayments += found.items.filter(({ outcome }) => outcome === 'settled').length;
  }
  return unconfirmed;
}

async function lift({ pool, clock, lanes, report }: Run, held: HeldLane, count: bigint): Promise<void> {
  const nextNonce = await liftLane(pool, held, count, clock.nowMs());
  if (nextNonce === undefined) throw new LaneTakenOver(held.relayer);
  const known = lanes.find(({ relayer }) => relayer === held.relayer);
  report.lanes.push({
    relayer: held.relayer,
    nonceBefore: known?.nextNonce.toString() ?? null,
    nextNonce: nextNonce.toString(),
  });
}

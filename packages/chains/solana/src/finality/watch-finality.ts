// Watches recorded transactions until they are final. A transaction that moved to another slot is recorded there; one
// that can never land any more is reversed. A payment that did not settle fails only when that is final.
import {
  type AgeingBatch,
  createWalk,
  forEachIsolated,
  hasSameOutcome,
  isConfirmedBatch,
  jobName,
  type MinedBatch,
  mapConcurrent,
  type NoteFailure,
  noteFailures,
  outcomesOf,
  type PendingBatch,
  type PeriodicJob,
  type RecordedBatch,
  readIsolated,
  type WatchDeps,
} from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';
import { FINALIZED_CONFIRMATIONS } from './commitment.ts';
import { finalizedSlot, findExpired, findMined } from './find-batches.ts';

const EVERY_MS = 1_000;
/** As many as one call for statuses takes. */
const AT_ONCE = 256;
const MAX_PAGES = 20;
const LOADED_AT_ONCE = 4;

type FinalityDeps = Pick<WatchDeps, 'finality' | 'clock' | 'log' | 'metrics' | 'countFailure'>;

export function createSolanaFinality(open: OpenSolana, deps: FinalityDeps): PeriodicJob {
  const { network, nodes } = open;
  const { finality } = deps;
  const note = noteFailures(network, 'finality', deps);
  let slot = -1n;
  const walk = createWalk<AgeingBatch>({
    load: (after, limit) => finality.loadAgeingBatches(network, slot, limit, after?.id),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  return {
    name: jobName('finality', network),
    everyMs: EVERY_MS,
    run: async () => {
      slot = await finalizedSlot(nodes);
      await walk((page) => judgePage(open, deps, page, note));
    },
  };
}

/** A batch that throws does not stop the others. */
async function judgePage(
  open: OpenSolana,
  deps: FinalityDeps,
  page: readonly AgeingBatch[],
  note: NoteFailure,
): Promise<void> {
  const loaded = await mapConcurrent(LOADED_AT_ONCE, page, async (ageing): Promise<Loaded[]> => {
    try {
      const batch = await deps.finality.loadRecordedBatch(ageing.id);
      return batch === undefined ? [] : [{ ageing, batch }];
    } catch (problem) {
      note({ batchId: ageing.id }, problem);
      return [];
    }
  });
  const onFailure = ({ batch }: Loaded, problem: unknown) => note(idsOf(batch), problem);
  const told = await readIsolated(loaded.flat(), (some) => findInOrder(open, some), onFailure);
  await forEachIsolated([...told.keys()], (one) => look(open, deps, { ...one, mined: told.get(one) }), onFailure);
}

type Loaded = { readonly ageing: AgeingBatch; readonly batch: RecordedBatch };

async function findInOrder(
  { nodes }: OpenSolana,
  some: readonly Loaded[],
): Promise<readonly (MinedBatch | undefined)[]> {
  const found = await findMined(
    nodes,
    some.map(({ batch }) => batch),
  );
  const minedOf = new Map(found.map((mined) => [mined.batchId, mined]));
  return some.map(({ batch }) => minedOf.get(batch.id));
}

type Looked = Loaded & {
  /** Undefined when no node knows the transaction. */
  readonly mined: MinedBatch | undefined;
};

async function look(open: OpenSolana, deps: FinalityDeps, { ageing, batch, mined }: Looked): Promise<void> {
  const { finality, clock } = deps;
  if (mined === undefined) {
    // No node knows the transaction. It is reversed only if it can never land: the nodes may have lost it for a moment.
    if ((await findExpired(open.nodes, [batch])).length > 0) await reverse(open, deps, batch, ageing.blockHash);
    return;
  }
  const nowMs = clock.nowMs();
  if (!hasSameOutcome(batch, mined)) return reverse(open, deps, batch, ageing.blockHash);
  if (mined.blockHash !== ageing.blockHash) {
    if (!isConfirmedBatch(mined, batch.items)) return;
    if (await finality.moveBatch(batch, ageing.blockHash, mined, { nowMs, gasCoin: open.gasCoin })) {
      deps.metrics.batchMoved(open.network);
      deps.log('batch_moved', { ...detailsOf(open, batch), slot: mined.blockNumber.toString() });
    }
    return;
  }
  if (mined.confirmations < BigInt(FINALIZED_CONFIRMATIONS)) return;
  await finality.recordFinal(ageing, ageing.openItems.length === 0 ? [] : outcomesOf(ageing, mined), nowMs);
}

async function reverse(
  open: OpenSolana,
  { finality, clock, log, metrics }: FinalityDeps,
  batch: RecordedBatch,
  blockHash: string,
): Promise<void> {
  if (!(await finality.reverseBatch(batch.id, blockHash, clock.nowMs()))) return;
  metrics.batchReversed(open.network);
  log('batch_reversed', detailsOf(open, batch));
}

const idsOf = ({ id, transactions }: PendingBatch) => ({
  batchId: id,
  transactionId: transactions.at(-1)?.transactionId,
});

const detailsOf = ({ network }: OpenSolana, batch: PendingBatch) => ({ network, ...idsOf(batch) });

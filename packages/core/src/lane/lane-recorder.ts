// Records mined batches of a lane. Beside the rounds, the next batch leaves while the last one is recorded; both write under
// the same lease, so that a process that was replaced records as little as it sends.
import type { LaneDeps } from './lane-deps.ts';
import type { FoundBatch, LaneLease } from './lane-store.ts';

/** Most payments in one commit: those of the first batches do not wait until the last is written. */
export const MOST_RECORDED_AT_ONCE = 400;

export type LaneRecorder = {
  /** Takes batches to be recorded. False when the lane was taken over. Throws what an earlier recording failed with. */
  readonly record: (found: readonly FoundBatch[]) => Promise<boolean>;
  /** Ids of batches that were taken and are not recorded yet. */
  readonly underWay: () => ReadonlySet<string>;
  /** Waits until everything that was taken is recorded. As `record`. */
  readonly finish: () => Promise<boolean>;
};

/** Answers when the batches are recorded. */
export function createInlineRecorder(deps: Pick<LaneDeps, 'store' | 'log'>, lease: LaneLease): LaneRecorder {
  return {
    record: async (found) => {
      for (const part of partsOf(found)) {
        if (!(await recordPart(deps, lease, part))) return false;
      }
      return true;
    },
    underWay: () => new Set(),
    finish: async () => true,
  };
}

/**
 * Answers at once, and records one part after the other. After a failure or a take-over it records nothing more: what it
 * had taken is still pending in the database, and the next attempt finds it there.
 */
export function createRecorderBeside(deps: Pick<LaneDeps, 'store' | 'log'>, lease: LaneLease): LaneRecorder {
  const underWay = new Set<string>();
  let taken: Promise<boolean> = Promise.resolve(true);
  /** Known without waiting, so that a round does not wait for what is under way. */
  let ended: Promise<boolean> | undefined;
  const recordAfter = async (before: Promise<boolean>, part: readonly FoundBatch[]): Promise<boolean> => {
    if (!(await before)) return false;
    const held = await recordPart(deps, lease, part);
    for (const { batch } of part) underWay.delete(batch.id);
    return held;
  };
  const noteEnd = (recorded: Promise<boolean>) => {
    const end = () => {
      ended ??= recorded;
    };
    recorded.then((held) => held || end(), end);
  };
  return {
    record: async (found) => {
      if (ended !== undefined) return ended;
      for (const { batch } of found) underWay.add(batch.id);
      for (const part of partsOf(found)) {
        taken = recordAfter(taken, part);
        noteEnd(taken);
      }
      return true;
    },
    underWay: () => new Set(underWay),
    finish: () => taken,
  };
}

async function recordPart(
  { store, log }: Pick<LaneDeps, 'store' | 'log'>,
  lease: LaneLease,
  part: readonly FoundBatch[],
): Promise<boolean> {
  if (!(await store.recordMined(lease, part))) return false;
  for (const one of part) log('batch_mined', detailsOf(one));
  return true;
}

/** Whole batches, in their order. A batch with more payments than the limit is a part of its own. */
export function partsOf(found: readonly FoundBatch[]): readonly (readonly FoundBatch[])[] {
  const parts: FoundBatch[][] = [];
  let room = 0;
  for (const one of found) {
    const count = one.batch.items.length;
    const last = parts.at(-1);
    if (last === undefined || count > room) {
      parts.push([one]);
      room = MOST_RECORDED_AT_ONCE - count;
    } else {
      last.push(one);
      room -= count;
    }
  }
  return parts;
}

function detailsOf({ batch, mined }: FoundBatch): object {
  const settled = mined.items.filter(({ outcome }) => outcome === 'settled').length;
  const { transactionId, reverted } = mined;
  return { batchId: batch.id, transactionId, payments: batch.items.length, settled, reverted };
}

// Places at which a lane can be told to stop, wrapped around its ports. What got there stays there and is named, so that
// whoever kills the process knows what it died with.
import type { LaneDeps, LaneItem, PendingBatch } from '@svc-pay/core';

const STEPS = ['take', 'sign', 'store', 'broadcast', 'receipt', 'record'] as const;
type Step = (typeof STEPS)[number];

/** `take` reads the queue, `receipt` asks the chain; what a step did stands where it did it, before or after. */
export type LanePoint = `${'before' | 'after'} ${Step}`;
export const LANE_POINTS: readonly LanePoint[] = STEPS.flatMap((step) => [`before ${step}`, `after ${step}`] as const);

export type LanePausePoints = {
  readonly injectFault: (deps: LaneDeps) => LaneDeps;
  readonly pauseAt: (point: LanePoint | 'nowhere') => void;
  /** By the clock that it is given; how long ago a lane was last looked after in this process. */
  readonly lastBeatAgeMs: () => number;
};

const idsOf = (items: readonly LaneItem[]) => items.map(({ paymentId }) => paymentId);
const idsOfAll = (batches: readonly PendingBatch[]) => batches.flatMap(({ items }) => idsOf(items));

export function createLanePausePoints(onHeld: (paymentIds: readonly string[]) => void): LanePausePoints {
  let armed: LanePoint | 'nowhere' = 'nowhere';
  let beatMs = Number.NEGATIVE_INFINITY;
  const pass = async (point: LanePoint, paymentIds: readonly string[]): Promise<void> => {
    if (armed !== point || paymentIds.length === 0) return;
    onHeld(paymentIds);
    await new Promise(() => {});
  };
  const around = async <Done>(step: Step, ids: readonly string[], work: () => Promise<Done>): Promise<Done> => {
    await pass(`before ${step}`, ids);
    const done = await work();
    await pass(`after ${step}`, ids);
    return done;
  };
  return {
    injectFault: ({ store, chain, ...deps }) => {
      let signing: readonly string[] = [];
      return {
        ...deps,
        store: {
          ...store,
          heartbeat: (held) => {
            beatMs = performance.now();
            return store.heartbeat(held);
          },
          // What waits is counted before it is read, and has no names yet.
          peekQueue: async (...asked) => {
            const waiting = await store.peekQueue(...asked);
            await pass('before take', waiting.count > 0 ? ['queued'] : []);
            return waiting;
          },
          loadQueue: async (...asked) => {
            const queue = await store.loadQueue(...asked);
            await pass('after take', idsOf(queue));
            return queue;
          },
          storeBatches: (held, batches) =>
            around('store', idsOf(batches.flatMap(({ items }) => items)), () => store.storeBatches(held, batches)),
          recordMined: (held, found) =>
            around('record', idsOf(found.flatMap(({ batch }) => batch.items)), () => store.recordMined(held, found)),
        },
        chain: {
          ...chain,
          sign: (items, nonce) => {
            signing = idsOf(items);
            return around('sign', signing, () => chain.sign(items, nonce));
          },
          broadcast: (raw) => around('broadcast', signing, () => chain.broadcast(raw)),
          findMined: async (batches) => {
            await pass('before receipt', idsOfAll(batches));
            const mined = await chain.findMined(batches);
            const found = batches.filter(({ id }) => mined.some(({ batchId }) => batchId === id));
            await pass('after receipt', idsOfAll(found));
            return mined;
          },
        },
      };
    },
    pauseAt: (point) => {
      armed = point;
    },
    lastBeatAgeMs: () => performance.now() - beatMs,
  };
}

// Wakes the lanes of a network when payments are queued, without delaying the request. Wake-ups are coalesced: requests
// during a wake-up, or within `pauseMs` after it, share the next one.
import type { Lane, SettlePorts } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';

export type LaneWakerOptions = {
  /** Marks the sleeping lanes awake and returns them. */
  readonly markAwake: (network: NetworkId) => Promise<readonly Lane[]>;
  /** Undoes `markAwake`, so that the next payment tries again. */
  readonly markAsleep: (lane: Lane) => Promise<void>;
  /** Wakes the lane in the engine; throws if the engine does not accept. */
  readonly wake: (lane: Lane) => Promise<void>;
  /** Shortest time between two wake-ups of one network. */
  readonly pauseMs: number;
  readonly onProblem: (problem: unknown, ids: Partial<Lane>) => void;
};

export type LaneWaker = Pick<SettlePorts, 'wakeLanes'> & {
  /** Starts no further wake-ups, and resolves when none is running. */
  readonly stop: () => Promise<void>;
};

export function createLaneWaker(options: LaneWakerOptions): LaneWaker {
  const asked = new Set<NetworkId>();
  const running = new Map<NetworkId, Promise<void>>();
  const pauses = new Set<() => void>();
  let stopping = false;

  async function wakeOne(lane: Lane): Promise<void> {
    try {
      await options.wake(lane);
    } catch (problem) {
      options.onProblem(problem, lane);
      await options.markAsleep(lane).catch((failed: unknown) => options.onProblem(failed, lane));
    }
  }

  async function look(network: NetworkId): Promise<void> {
    try {
      await Promise.all((await options.markAwake(network)).map(wakeOne));
    } catch (problem) {
      options.onProblem(problem, { network });
    }
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, options.pauseMs);
      pauses.add(end);
    });

  async function run(network: NetworkId): Promise<void> {
    while (asked.delete(network)) {
      await look(network);
      if (!stopping) await pause();
    }
    running.delete(network);
  }

  return {
    wakeLanes(network) {
      if (stopping) return;
      asked.add(network);
      if (!running.has(network)) running.set(network, run(network));
    },
    async stop() {
      stopping = true;
      for (const end of pauses) end();
      await Promise.all(running.values());
    },
  };
}

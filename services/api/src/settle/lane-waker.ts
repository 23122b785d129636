// Wakes the lanes of a network when something waits for them: soon, seldom, and never in anybody's way. Not one wake per
// payment: what is asked for while one is under way, or right after it, shares the next.
import type { Lane, SettlePorts } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';

export type LaneWakerOptions = {
  /** Marks the sleeping lanes awake and returns them. */
  readonly markAwake: (network: NetworkId) => Promise<readonly Lane[]>;
  /** Takes the mark back, so that the next payment tries again. */
  readonly markAsleep: (lane: Lane) => Promise<void>;
  /** Tells the engine; throws when it does not hear. */
  readonly wake: (lane: Lane) => Promise<void>;
  /** Shortest time between two looks at the lanes of one network. */
  readonly pauseMs: number;
  readonly onProblem: (problem: unknown) => void;
};

export type LaneWaker = Pick<SettlePorts, 'wakeLanes'> & {
  /** Resolves when nothing is under way; nothing is begun from now on. */
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
      options.onProblem(problem);
      await options.markAsleep(lane).catch(options.onProblem);
    }
  }

  async function look(network: NetworkId): Promise<void> {
    try {
      await Promise.all((await options.markAwake(network)).map(wakeOne));
    } catch (problem) {
      options.onProblem(problem);
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

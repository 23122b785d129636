// Places at which a sender can be told to stop, wrapped around the ports of its dispatcher. What got there stays there and
// is named, so that whoever kills the process knows what it died with.
import type { StartOptions } from '@svc-pay/webhooks';

export type FaultInjector = NonNullable<StartOptions['injectFault']>;
export type Deps = Parameters<FaultInjector>[0];

/** Claimed in the database while the process does not know it yet; claimed and not sent; answered and not recorded. */
export type PausePoint = 'in-claim' | 'before-send' | 'after-send';

export type PausePoints = {
  readonly injectFault: FaultInjector;
  readonly pauseAt: (point: PausePoint | 'nowhere') => void;
  /** Deliveries that were claimed and are not recorded. */
  readonly inHand: () => number;
};

export function createPausePoints(onHeld: (eventIds: readonly string[]) => void): PausePoints {
  let armed: PausePoint | 'nowhere' = 'nowhere';
  let inHand = 0;
  const pass = async (point: PausePoint, eventIds: readonly string[]): Promise<void> => {
    if (armed !== point || eventIds.length === 0) return;
    onHeld(eventIds);
    await new Promise(() => {});
  };
  return {
    injectFault: (deps) => ({
      ...deps,
      store: {
        ...deps.store,
        leaseDeliveries: async (...given) => {
          const claimed = await deps.store.leaseDeliveries(...given);
          await pass(
            'in-claim',
            claimed.map(({ eventId }) => eventId),
          );
          return claimed;
        },
      },
      attempt: async (delivery, stopped) => {
        inHand += 1;
        await pass('before-send', [delivery.eventId]);
        return deps.attempt(delivery, stopped);
      },
      recorder: {
        record: async (report) => {
          await pass('after-send', [report.delivery.eventId]);
          await deps.recorder.record(report);
          inHand -= 1;
        },
      },
    }),
    pauseAt: (point) => {
      armed = point;
    },
    inHand: () => inHand,
  };
}

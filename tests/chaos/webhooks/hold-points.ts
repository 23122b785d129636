// Places at which a sender can be told to stop, wrapped around the ports of its dispatcher. What got there stays there and
// is named, so that whoever kills the process knows what it died with.
import type { StartOptions } from '@svc-pay/webhooks';

export type Bend = NonNullable<StartOptions['bend']>;
export type Parts = Parameters<Bend>[0];

/** Claimed in the database while the process does not know it yet; claimed and not sent; answered and not recorded. */
export type HoldPoint = 'in-claim' | 'before-send' | 'after-send';

export type HoldPoints = {
  readonly bend: Bend;
  readonly holdAt: (point: HoldPoint | 'nowhere') => void;
  /** Deliveries that were claimed and are not recorded. */
  readonly inHand: () => number;
};

export function createHoldPoints(onHeld: (eventIds: readonly string[]) => void): HoldPoints {
  let armed: HoldPoint | 'nowhere' = 'nowhere';
  let inHand = 0;
  const pass = async (point: HoldPoint, eventIds: readonly string[]): Promise<void> => {
    if (armed !== point || eventIds.length === 0) return;
    onHeld(eventIds);
    await new Promise(() => {});
  };
  return {
    bend: (parts) => ({
      ...parts,
      store: {
        ...parts.store,
        claimDeliveries: async (...given) => {
          const claimed = await parts.store.claimDeliveries(...given);
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
        return parts.attempt(delivery, stopped);
      },
      recorder: {
        record: async (report) => {
          await pass('after-send', [report.delivery.eventId]);
          await parts.recorder.record(report);
          inHand -= 1;
        },
      },
    }),
    holdAt: (point) => {
      armed = point;
    },
    inHand: () => inHand,
  };
}

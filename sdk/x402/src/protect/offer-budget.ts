// How many intents visitors of a route without a payment may make: each costs the account a create, under a key whose limit
// is the account's own. Above it one offer goes to several visitors; who confirms first has it.
import type { NowMs } from '../clock.ts';

type OfferBudget = {
  /** Takes one create, if there is one left. */
  readonly take: () => boolean;
};

const PER_SECOND = 10;
const AT_ONCE = 50;

export function createOfferBudget(nowMs: NowMs): OfferBudget {
  let left = AT_ONCE;
  let seenMs = nowMs();
  return {
    take: () => {
      const now = nowMs();
      left = Math.min(AT_ONCE, left + (Math.max(0, now - seenMs) * PER_SECOND) / 1_000);
      seenMs = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

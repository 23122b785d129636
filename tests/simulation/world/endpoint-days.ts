// The days after the storm. Receivers fail for days and come back, or answer 410; shops send test events; endpoints are
// switched off, and their owners enable them again. Time is skipped while nothing is due.
import { draftSample } from '@svc-pay/core';
import { enableMemoryEndpoint, writeEvents } from '@svc-pay/core/testing';
import { ACCOUNT } from './merchant.ts';
import type { Simulation } from './simulation.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How a receiver answers one request. */
type DayAnswer = { readonly status: 200 | 410 | 500 | 'unreachable'; readonly afterMs: number };

type OffPeriod = { readonly endpointId: string; readonly fromMs: number; toMs: number };

export type EndpointDays = {
  /** Begins the days when first asked. True once they are over, or if this seed has none. */
  readonly arePassed: () => boolean;
  /** Deliveries that have not come to rest so long after the start of the run never do. */
  readonly longestMs: () => number;
  /** Pause between two looks at what has come to rest. */
  readonly lookEveryMs: () => number;
  /** Undefined before the days. */
  readonly answerOf: (endpointId: string) => DayAnswer | undefined;
  /** To be told of each endpoint that was switched off. */
  readonly wasSwitchedOff: (endpointId: string, reason: string) => void;
  /** When the next thing happens, so that nothing need be polled for until then. */
  readonly nextMs: () => number;
  readonly offPeriods: readonly OffPeriod[];
};

/** What is wrong with a receiver, until when. */
type Trouble = { readonly kind: 'well' | 'down' | 'gone'; readonly fromMs: number; readonly untilMs: number };

const FLICKER_MS = HOUR_MS;

export function createEndpointDays({ timeline, clock, dice, tables, note }: Simulation): EndpointDays {
  const hasDays = dice.roll() < 0.3;
  const troubles = new Map<string, Trouble>();
  const plannedMs = new Set<number>();
  const offPeriods: OffPeriod[] = [];
  let endMs: number | undefined;

  const plan = (atMs: number, action: () => void) => {
    plannedMs.add(atMs);
    timeline.after(atMs - clock.nowMs(), () => {
      plannedMs.delete(atMs);
      action();
    });
  };
  const emit = (count: number) => () => {
    const origin = { requestId: 'req_sample', idempotencyKey: null };
    for (let event = 0; event < count; event += 1) {
      writeEvents(tables, [draftSample(ACCOUNT.accountId, 'payment.completed', origin, clock.nowMs())], ACCOUNT);
    }
    note('shop', `sends ${count} test events`);
  };
  const begin = (): number => {
    const startMs = clock.nowMs();
    note('days', 'begin');
    let longestMs = startMs;
    for (const endpointId of tables.endpoints.keys()) {
      const kind = dice.pick(['well', 'down', 'down', 'gone'] as const);
      const lastsMs = dice.pick([2 * HOUR_MS, 1.5 * DAY_MS, 5 * DAY_MS, 5 * DAY_MS, 6 * DAY_MS]);
      const untilMs = startMs + 10 * MINUTE_MS + lastsMs;
      const fromMs = kind === 'gone' ? startMs + Math.round(dice.roll() * lastsMs) : startMs;
      troubles.set(endpointId, { kind, fromMs, untilMs });
      note('receiver', `${endpointId} is ${kind} for ${lastsMs / HOUR_MS} hours`);
      if (kind === 'gone') plan(fromMs + MINUTE_MS, emit(1 + Math.floor(dice.roll() * 2)));
      // Several at once, when it answers one and not the other.
      plan(untilMs + MINUTE_MS, emit(2 + Math.floor(dice.roll() * 3)));
      longestMs = Math.max(longestMs, untilMs + FLICKER_MS);
    }
    plan(startMs + MINUTE_MS, emit(1 + Math.floor(dice.roll() * 2)));
    plan(longestMs + MINUTE_MS, emit(1));
    return longestMs + 2 * MINUTE_MS;
  };

  return {
    arePassed: () => {
      if (!hasDays) return true;
      endMs ??= begin();
      return clock.nowMs() > endMs && plannedMs.size === 0;
    },
    longestMs: () => (endMs === undefined ? 3 * HOUR_MS : 40 * DAY_MS),
    lookEveryMs: () => (endMs === undefined ? 2_000 : 10 * MINUTE_MS),
    answerOf: (endpointId) => {
      const trouble = troubles.get(endpointId);
      if (trouble === undefined) return undefined;
      const nowMs = clock.nowMs();
      const afterMs = dice.roll() * 3_000;
      const isBroken = nowMs >= trouble.fromMs && nowMs < trouble.untilMs;
      if (trouble.kind === 'gone' && isBroken) return { status: 410, afterMs };
      const flickers = nowMs >= trouble.untilMs && nowMs < trouble.untilMs + FLICKER_MS && dice.roll() < 0.5;
      if (trouble.kind === 'down' && (isBroken || flickers)) {
        return { status: dice.roll() < 0.2 ? 'unreachable' : 500, afterMs };
      }
      return { status: 200, afterMs };
    },
    wasSwitchedOff: (endpointId, reason) => {
      note('store', `${endpointId} is switched off: ${reason}`);
      const period = { endpointId, fromMs: clock.nowMs(), toMs: Number.POSITIVE_INFINITY };
      offPeriods.push(period);
      const times = offPeriods.filter((each) => each.endpointId === endpointId).length;
      plan(clock.nowMs() + HOUR_MS + Math.round(dice.roll() * 2 * DAY_MS), () => {
        // Some owners enable an endpoint before it works again; then they look at it.
        if (times > 1 || dice.roll() < 0.7) {
          troubles.set(endpointId, { kind: 'well', fromMs: clock.nowMs(), untilMs: clock.nowMs() });
        }
        period.toMs = clock.nowMs();
        const due = enableMemoryEndpoint(tables, { ...ACCOUNT, endpointId }, clock.nowMs());
        note('shop', `${endpointId} is enabled with ${due} deliveries`);
      });
    },
    nextMs: () => Math.min(...plannedMs),
    offPeriods,
  };
}

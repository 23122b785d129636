// A webhooks process as services/webhooks puts it together: the dispatcher with its due-list, turns, pace and recorder,
// the drain and the poll. Only what lies behind the ports is simulated.
import { createSecretBox, type DeliveryStore, type Mode } from '@svc-pay/core';
import { createMemoryDeliveryStore, dueAtMs } from '@svc-pay/core/testing';
import {
  attemptDelivery,
  createDeliveryDrain,
  createDispatcher,
  createOpenSecrets,
  createPace,
  createRecorder,
  type DispatcherDeps,
  wakeIdleShards,
} from '@svc-pay/webhooks/dispatch';
import type { MortalProcess } from '../runtime/mortal-process.ts';
import type { Ask } from './ask.ts';
import { checkSwitchedOff } from './check-endpoints.ts';
import type { DeliveryBug } from './delivery-bugs.ts';
import type { EndpointDays } from './endpoint-days.ts';
import { type FakeEngine, type Host, wordsOf } from './fake-engine.ts';
import { type Arrival, sendTo } from './receivers.ts';
import { statementBy } from './settlement-process.ts';
import type { Simulation } from './simulation.ts';

export const LEASE_MS = 60_000;
const TURN_MS = 1_000;
const POLL_MS = 1_500;
const LONGEST_PAUSE_MS = 30 * 60_000;
const SHARDS = 2;
const MODES: readonly Mode[] = ['test'];

export const SECRET_BOX = createSecretBox([{ number: 1, bytes: Buffer.alloc(32, 7) }]);

export function webhooksWork(
  simulation: Simulation,
  arrivals: Arrival[],
  process: MortalProcess,
  ask: Ask,
  engine: FakeEngine,
  days: EndpointDays,
  bug: DeliveryBug = {},
): Pick<Host, 'drains' | 'jobs'> {
  const { clock, dice, note, strikes } = simulation;
  const store = openStore(simulation, ask, days, bug);
  const secrets = createOpenSecrets(store, SECRET_BOX, clock);
  const onProblem = (problem: unknown) => note(process.name, `delivery_not_handled: ${wordsOf(problem)}`);
  const deps: DispatcherDeps = {
    store,
    clock,
    modes: MODES,
    pace: createPace(20, 5),
    recorder: createRecorder({ store, clock, onRecorded: () => {}, onProblem }),
    turnMs: TURN_MS,
    leaseMs: LEASE_MS,
    prepare: secrets.prepare,
    attempt: (delivery, stopped) => {
      const send = sendTo(simulation, arrivals, process, ask, days, delivery);
      return attemptDelivery(delivery, { secrets, send, clock, random: dice.roll, deniedPorts: new Set() }, stopped);
    },
    onReport: () => {},
    onProblem,
  };
  const dispatcher = createDispatcher(bug.deps?.(deps) ?? deps);
  const setup = { store, clock, modes: MODES, shards: SHARDS };
  const poll = wakeIdleShards(setup, POLL_MS, (drain, key) =>
    ask(
      { to: 'engine', what: `wake ${drain}`, changes: true },
      () => {
        if (!strikes('wake lost', 0.2)) engine.wake(drain, key);
      },
      () => new Error('the engine is away'),
    ),
  );
  const pollWhileDue = async () => {
    await poll.run();
    const pauseMs = idleMs(simulation, days);
    if (pauseMs > 0) await new Promise<void>((end) => simulation.timeline.after(pauseMs, () => process.deliver(end)));
  };
  return { drains: [createDeliveryDrain(setup, dispatcher)], jobs: [{ ...poll, run: pollWhileDue }] };
}

function openStore(simulation: Simulation, ask: Ask, days: EndpointDays, bug: DeliveryBug): DeliveryStore {
  const { tables } = simulation;
  const send = statementBy(ask);
  const store = createMemoryDeliveryStore(tables, (name, action) =>
    send(name, () => {
      const result = action();
      if (name === 'recordDeliveries') checkSwitchedOff(simulation, days);
      return result;
    }),
  );
  return bug.store?.(store, tables) ?? store;
}

/** After the storm nobody polls while nothing can become due. */
function idleMs({ isStorm, clock, tables }: Simulation, days: EndpointDays): number {
  if (isStorm()) return 0;
  const nowMs = clock.nowMs();
  const due = [...tables.deliveries.values()].map(dueAtMs);
  return Math.min(Math.max(Math.min(...due, days.nextMs()) - nowMs - POLL_MS, 0), LONGEST_PAUSE_MS);
}

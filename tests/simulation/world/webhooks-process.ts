// A webhooks process as services/webhooks puts it together: the dispatcher with its due-list, turns, pace and recorder,
// the drain and the poll. Only what lies behind the ports is simulated.
import { createSecretBox, type Mode } from '@svc-pay/core';
import { createMemoryDeliveryStore } from '@svc-pay/core/testing';
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
import { type FakeEngine, type Host, wordsOf } from './fake-engine.ts';
import { type Arrival, sendTo } from './receivers.ts';
import { statementBy } from './settlement-process.ts';
import type { Simulation } from './simulation.ts';

export type DeliveryBug = (deps: DispatcherDeps) => DispatcherDeps;

export const LEASE_MS = 60_000;
const TURN_MS = 1_000;
const POLL_MS = 1_500;
const SHARDS = 2;
const MODES: readonly Mode[] = ['test'];

export const SECRET_BOX = createSecretBox([{ number: 1, bytes: Buffer.alloc(32, 7) }]);

export function webhooksWork(
  simulation: Simulation,
  arrivals: Arrival[],
  process: MortalProcess,
  ask: Ask,
  engine: FakeEngine,
  bug: DeliveryBug = (deps) => deps,
): Pick<Host, 'drains' | 'jobs'> {
  const { clock, tables, dice, note, strikes } = simulation;
  const store = createMemoryDeliveryStore(tables, statementBy(ask));
  const secrets = createOpenSecrets(store, SECRET_BOX, clock);
  const onProblem = (problem: unknown) => note(process.name, `delivery_not_handled: ${wordsOf(problem)}`);
  const dispatcher = createDispatcher(
    bug({
      store,
      clock,
      modes: MODES,
      pace: createPace(20, 5),
      recorder: createRecorder({ store, clock, onRecorded: () => {}, onProblem }),
      turnMs: TURN_MS,
      leaseMs: LEASE_MS,
      prepare: secrets.prepare,
      attempt: (delivery, stopped) => {
        const send = sendTo(simulation, arrivals, process, ask, delivery);
        return attemptDelivery(delivery, { secrets, send, clock, random: dice.roll, deniedPorts: new Set() }, stopped);
      },
      onReport: () => {},
      onProblem,
    }),
  );
  const setup = { store, clock, modes: MODES, shards: SHARDS };
  return {
    drains: [createDeliveryDrain(setup, dispatcher)],
    jobs: [
      wakeIdleShards(setup, POLL_MS, (drain, key) =>
        ask(
          { to: 'engine', what: `wake ${drain}`, changes: true },
          () => {
            if (!strikes('wake lost', 0.2)) engine.wake(drain, key);
          },
          () => new Error('the engine is away'),
        ),
      ),
    ],
  };
}

// Generated sequences of calls, with leases that end, late reports, days that pass and endpoints that are switched: a
// DeliveryStore gives the answers of the memory store, and leaves the same behind.
import { newId } from '@svc-pay/protocol/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EndpointKey, LeasedDelivery, Mode } from '../index.ts';
import type { DeliveryHarness } from './delivery-harness.ts';
import { openMemoryDeliveries } from './memory-delivery-harness.ts';
import { plain } from './plain.ts';
import { type SampleAnswer, sampleReport } from './sample-report.ts';

const NOW = 1_794_744_000_000;
const LEASE_MS = 60_000;
const DAY_MS = 86_400_000;
const MODES: readonly Mode[] = ['test'];
const SHARD = { drain: 'sequences', index: 0, count: 1 };
const CALLS = 120;
const EVENTS = 6;
const ANSWERS: readonly SampleAnswer[] = [200, 204, 500, 500, 503, 410, 'timed_out', 'our_fault', 'our_fault'];

export function deliveryStoreSequences(open: () => Promise<DeliveryHarness>): void {
  test.for([1, 2, 3, 4])('gives the answers of the memory store, sequence %i', async (seed) => {
    const store = await open();
    const changedAtMs = NOW - DAY_MS;
    const endpoints = [
      await store.addEndpoint({ id: newId('endpoint', NOW), retryCount: 2, changedAtMs }),
      await store.addEndpoint({ id: newId('endpoint', NOW + 1), retryCount: 12, changedAtMs }),
    ];
    const memory = openMemoryDeliveries(endpoints[0]?.accountId);
    for (const { endpointId: id } of endpoints) {
      await memory.addEndpoint({ id, retryCount: id === endpoints[0]?.endpointId ? 2 : 12, changedAtMs });
    }
    const both = { store, memory, endpoints, ...createChance(seed) };
    await runSequence(both);
    // A sequence in which nothing happened would agree as well.
    expect(both.switchedOff.length).toBeGreaterThan(0);
    for (const [endpoint, eventId] of both.added) {
      expect(await store.readDelivery(endpoint, eventId)).toEqual(await memory.readDelivery(endpoint, eventId));
      expect(await store.readAttempts(endpoint, eventId)).toEqual(await memory.readAttempts(endpoint, eventId));
    }
    for (const endpoint of endpoints) {
      expect(await store.readEndpoint(endpoint)).toEqual(await memory.readEndpoint(endpoint));
    }
  });
}

function createChance(seed: number) {
  const tape = fc.sample(fc.noBias(fc.nat(9_999)), { seed, numRuns: 5_000 });
  const roll = () => (tape.shift() ?? 0) / 10_000;
  return {
    roll,
    pick: <Value>(values: readonly Value[]): Value => values[Math.floor(roll() * values.length)] as Value,
    added: [] as (readonly [EndpointKey, string])[],
    switchedOff: [] as string[],
  };
}

type Both = ReturnType<typeof createChance> & {
  readonly store: DeliveryHarness;
  readonly memory: DeliveryHarness;
  readonly endpoints: readonly EndpointKey[];
};

const byDelivery = (one: LeasedDelivery, other: LeasedDelivery) =>
  `${one.eventId} ${one.endpointId}` < `${other.eventId} ${other.endpointId}` ? -1 : 1;
const byEndpoint = (one: { readonly endpointId: string }, other: { readonly endpointId: string }) =>
  one.endpointId < other.endpointId ? -1 : 1;

async function runSequence({ store, memory, endpoints, roll, pick, added, switchedOff: off }: Both): Promise<void> {
  let nowMs = NOW;
  let epoch = '0';
  let inHand: readonly LeasedDelivery[] = [];
  const same = async <Answer>(name: string, call: (harness: DeliveryHarness) => Promise<Answer>): Promise<Answer> => {
    const expected = await call(memory);
    expect({ name, answer: plain(await call(store)) }).toEqual({ name, answer: plain(expected) });
    return expected;
  };
  const emit = async () => {
    for (const endpoint of endpoints) {
      // One after the other, so that their order in the queue is certain.
      nowMs += 7;
      const eventId = newId('event', nowMs);
      added.push([endpoint, eventId]);
      const first = roll() < 0.3;
      await same('addDelivery', (harness) => harness.addDelivery(endpoint, eventId, nowMs, first));
    }
  };
  const lease = () => ({ ...SHARD, epoch: roll() < 0.2 ? '0' : epoch });
  const calls = {
    emit,
    takeOver: async () => {
      epoch = await same('takeOverShard', (harness) => harness.store.takeOverShard(SHARD, nowMs));
    },
    heartbeat: async () => {
      const own = lease();
      await same('heartbeatShard', (harness) => harness.store.heartbeatShard(own, nowMs));
    },
    sleep: async () => {
      const own = lease();
      await same('fallAsleep', (harness) => harness.store.fallAsleep(own, MODES, nowMs));
    },
    findSleeping: () =>
      same('findSleepingShards', (harness) => harness.store.findSleepingShards(SHARD, MODES, nowMs, nowMs - 5_000)),
    findDue: () =>
      same('findDueEndpoints', async (harness) => {
        const { endpoints: due, all } = await harness.store.findDueEndpoints(SHARD, MODES, nowMs);
        return { due: due.toSorted(byEndpoint), all };
      }),
    lease: async () => {
      // Room for all: of deliveries that are due since the same moment each store may take others.
      const wanted = endpoints
        .filter(() => roll() < 0.8)
        .map((endpoint) => ({ ...endpoint, room: CALLS, keptRoom: 0 }));
      const leased = await same('leaseDeliveries', async (harness) =>
        (await harness.store.leaseDeliveries(wanted, nowMs, LEASE_MS)).toSorted(byDelivery),
      );
      inHand = [...inHand, ...leased];
    },
    record: async () => {
      const chosen = inHand.filter(() => roll() < 0.5);
      const reports = chosen.map((each) => {
        const startedAtMs = nowMs - Math.floor(roll() * 2_000);
        return sampleReport(each, pick(ANSWERS), nowMs, { startedAtMs, random: roll });
      });
      const { switchedOff } = await same('recordDeliveries', async (harness) => {
        const recorded = await harness.store.recordDeliveries(reports, nowMs);
        return { ...recorded, switchedOff: recorded.switchedOff.toSorted(byEndpoint) };
      });
      off.push(...switchedOff.map(({ reason }) => reason));
      if (roll() < 0.7) inHand = inHand.filter((each) => !chosen.includes(each));
    },
    stop: async () => {
      const endpoint = pick(endpoints);
      await same('stopDeliveries', (harness) => harness.store.stopDeliveries(endpoint, nowMs));
    },
    enable: async () => {
      const endpoint = pick(endpoints);
      await same('enable', (harness) => harness.enable(endpoint, nowMs));
    },
    disable: async () => {
      const endpoint = pick(endpoints);
      if (roll() < 0.2) await same('disable', (harness) => harness.disable(endpoint, nowMs));
    },
  };
  const names = Object.keys(calls) as (keyof typeof calls)[];
  for (let event = 0; event < EVENTS; event += 1) await emit();
  for (let call = 0; call < CALLS; call += 1) {
    const longestMs = pick([4_000, 4_000, 4_000, 4_000, 90_000, 2 * DAY_MS]);
    nowMs += Math.floor(roll() * longestMs);
    await calls[pick<keyof typeof calls>([...names, 'lease', 'record', 'record', 'enable'])]();
  }
}

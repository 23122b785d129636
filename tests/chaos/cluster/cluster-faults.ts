// What strikes a cluster and the pairs of services on it. Whoever is killed stays away for a while and then comes back,
// while payments go on.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../harness/dice.ts';
import type { ClusterNode } from '../harness/mortal-cluster.ts';
import type { Program } from '../harness/program.ts';
import type { Leadership } from '../harness/read-leadership.ts';
import { busiest, type Fault } from '../settlement/fault-kinds.ts';
import type { SettlementWorld } from '../settlement/world.ts';

const DOWN_MS = 6_000;
const FROZEN_MS = 20_000;

type Mortal = { readonly kill: () => Promise<void>; readonly start: () => Promise<void> };
type Choose<One> = (world: SettlementWorld, dice: Dice) => Promise<One> | One;

const killed = (target: Fault['target'], choose: Choose<Mortal>): Fault => ({
  target,
  action: 'kill -9',
  point: 'any moment',
  strike: async (world, dice, { ready }) => {
    const victim = await choose(world, dice);
    await ready();
    await victim.kill();
    await sleep(DOWN_MS);
    await victim.start();
    return 1;
  },
});

type Led = Leadership & { readonly node: ClusterNode };

/** The node that comes first by this measure. */
const node =
  (weigh: (led: Leadership) => number): Choose<ClusterNode> =>
  async ({ cluster }) => {
    const led: readonly Led[] = await Promise.all(
      (cluster?.nodes ?? []).map(async (one) => ({ node: one, ...(await one.leadership()) })),
    );
    const [first] = led.toSorted((one, other) => weigh(other) - weigh(one));
    if (first === undefined) throw new Error('there is no cluster');
    return first.node;
  };

const METADATA = 1_000;
const oneOf =
  (programs: (world: SettlementWorld) => readonly Program[]): Choose<Program> =>
  (world, dice) =>
    dice.pick(programs(world));

const settlementFrozen: Fault = {
  target: 'settlement',
  action: 'SIGSTOP',
  point: 'any moment',
  strike: async (world, _, { ready }) => {
    const victim = await busiest(world);
    await ready();
    victim.freeze();
    await sleep(FROZEN_MS);
    victim.thaw();
    return 1;
  },
};

/** The kinds, and how long payments go on for the sake of each: away, back, and a while to see that all is well. */
const KINDS: readonly (readonly [kind: string, seconds: number, fault: Fault])[] = [
  [
    'metadata leader killed',
    15,
    killed(
      'engines',
      node(({ metadata, partitions }) => (metadata ? METADATA : 0) + partitions),
    ),
  ],
  [
    'partition leader killed',
    15,
    killed(
      'engines',
      node(({ partitions }) => partitions),
    ),
  ],
  [
    'follower killed',
    15,
    killed(
      'engines',
      node(({ metadata, partitions }) => -(metadata ? METADATA : 0) - partitions),
    ),
  ],
  ['settlement killed', 15, killed('settlement', busiest)],
  [
    'api killed',
    15,
    killed(
      'api',
      oneOf(({ apis }) => apis),
    ),
  ],
  [
    'webhooks killed',
    15,
    killed(
      'webhooks',
      oneOf(({ senders }) => senders),
    ),
  ],
  ['settlement frozen 20 s', 28, settlementFrozen],
];

export const CLUSTER_FAULTS: ReadonlyMap<string, Fault> = new Map(KINDS.map(([kind, , fault]) => [kind, fault]));
export const CLUSTER_KINDS: readonly string[] = [...CLUSTER_FAULTS.keys()];
export const secondsOf = (kind: string): number => KINDS.find(([name]) => name === kind)?.[1] ?? 0;

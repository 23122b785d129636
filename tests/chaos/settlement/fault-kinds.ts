// What strikes where. A kind is a fault and a place; two kinds strike at once when they have different targets.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../harness/dice.ts';
import type { Program } from '../harness/program.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { PausePoint } from '../webhooks/pause-points.ts';
import type { ClaimPoint } from './api-process.ts';
import { LANE_POINTS, type LanePoint } from './pause-points.ts';
import { reorganise } from './reorganise.ts';
import type { Temper } from './rpc-node.ts';
import type { RefundPoint } from './settlement-process.ts';
import type { SettlementWorld } from './world.ts';

type Target = 'api' | 'settlement' | 'webhooks' | 'database' | 'engines' | 'chain' | 'receiver';

type Moment = {
  /** Settles when enough payments are in flight, or `patienceMs` are over. */
  readonly ready: (patienceMs?: number) => Promise<void>;
  /** Lets a few more payments begin. */
  readonly more: () => void;
  /** Lets so many more begin that enough stay in flight. */
  readonly refill: () => Promise<void>;
  /** Merchants give back the next few payments that succeed. */
  readonly giveBack: () => void;
};

export type Fault = {
  readonly target: Target;
  /** The matrix: what is done, and at which point of a payment's way. */
  readonly action: string;
  readonly point: string;
  /** Strikes. Returns what it is known to have hit. */
  readonly strike: (world: SettlementWorld, dice: Dice, moment: Moment) => Promise<number>;
};

const REACH_MS = 12_000;
/** A refund begins when its payment is final. The payments that were in flight have ended by then. */
const REACH_REFUND_MS = 40_000;
const REFILL_MS = 500;
const REFUND_POINT = /submit|proof|completion/;
const TAKEN_OVER_MS = 15_000;
const DOWN_MS = 1_000;
const TROUBLE_MS = 2_500;
const LEASE_MS = 4_000;

type Named = readonly [kind: string, fault: Fault];
const kill = (target: Target, programs: (world: SettlementWorld) => readonly Program[]): Fault => ({
  target,
  action: 'kill -9',
  point: 'any moment',
  strike: async (world, _, { ready }) => {
    await ready();
    const all = programs(world);
    await Promise.all(all.map((program) => program.kill()));
    await Promise.all(all.map((program) => program.start()));
    return all.length;
  },
});

/**
 * The process that gets to the point first stays there until enough payments are in flight, and is killed. An API is stopped
 * only once enough are, by the requests that come then: while it stands still, no payment gets into flight.
 */
const killedAt = (
  target: Target,
  point: LanePoint | RefundPoint | ClaimPoint | PausePoint,
  programs: (world: SettlementWorld) => readonly Program[],
): Fault => ({
  target,
  action: 'kill -9',
  point: point.replace('in-claim', 'after claim of a delivery').replace('-send', ' deliver'),
  strike: async (world, _, { ready, more, refill, giveBack }) => {
    const all = programs(world);
    const isOfRefund = REFUND_POINT.test(point);
    if (target === 'api') await ready();
    const held = all.map(async (program) => {
      const ids = program.hear<readonly string[]>('held', isOfRefund ? REACH_REFUND_MS : REACH_MS);
      program.tell({ pauseAt: point });
      return { program, ids: await ids };
    });
    if (target === 'api') more();
    if (isOfRefund) giveBack();
    const stopRefilling = isOfRefund ? keepFull(refill) : async () => {};
    const first = await Promise.any(
      held.map(async (one) => {
        const { program, ids } = await one;
        if (ids === undefined) throw new Error('not reached');
        return { program, ids };
      }),
    ).catch(() => undefined);
    for (const program of all) if (program !== first?.program) program.tell({ pauseAt: 'nowhere' });
    // While an API stands still, the payments in flight end and no others begin: it is killed at once.
    if (first !== undefined) await ready(target === 'api' && isOfRefund ? 0 : undefined);
    await stopRefilling();
    if (first === undefined) return 0;
    // The others may have got there as well before they were told otherwise.
    const stuck = await Promise.all(
      held.map(async (one) => Promise.race([one, sleep(0).then(() => ({ program: first.program, ids: undefined }))])),
    );
    const victims = new Set([
      first.program,
      ...stuck.filter(({ ids }) => ids !== undefined).map(({ program }) => program),
    ]);
    await Promise.all([...victims].map((program) => program.kill()));
    await Promise.all([...victims].map((program) => program.start()));
    return first.ids.length;
  },
});

/** Calls `refill` again and again, until the function that it returns is called. */
function keepFull(refill: () => Promise<void>): () => Promise<void> {
  let ended = false;
  const full = waitUntil(
    async () => {
      if (!ended) await refill();
      return ended;
    },
    REACH_REFUND_MS * 2,
    REFILL_MS,
  );
  return async () => {
    ended = true;
    await full;
  };
}

const node = (
  action: string,
  temper: Temper,
  before?: (world: SettlementWorld, dice: Dice) => Promise<number>,
): Fault => ({
  target: 'chain',
  action,
  point: 'any moment',
  strike: async (world, dice, { ready }) => {
    await ready();
    const struck = dice.roll() < 0.5 ? world.nodes : [dice.pick(world.nodes)];
    const had = struck.reduce((sum, { strikes }) => sum + strikes(), 0);
    await Promise.all(struck.map((one) => one.behave(temper)));
    const given = (await before?.(world, dice)) ?? 0;
    await sleep(TROUBLE_MS);
    await Promise.all(struck.map((one) => one.behave('honest')));
    return struck.reduce((sum, { strikes }) => sum + strikes(), 0) - had + given;
  },
});

const simple = (target: Target, action: string, strike: (world: SettlementWorld) => Promise<void>): Fault => ({
  target,
  action,
  point: 'any moment',
  strike: async (world, _, { ready }) => {
    await ready();
    await strike(world);
    return 1;
  },
});

async function frozenFor(programs: readonly Program[], ms: number): Promise<void> {
  for (const program of programs) program.freeze();
  await sleep(ms);
  for (const program of programs) program.thaw();
}

const receiverMood = (mood: 'hang' | 'drip') =>
  simple('receiver', mood === 'hang' ? 'hangs' : 'drips', async ({ receiver }) => {
    receiver.tell({ mood });
    await sleep(TROUBLE_MS);
    receiver.tell({ mood: 'any' });
  });

const settlements = (world: SettlementWorld) => world.settlements;
const apis = (world: SettlementWorld) => world.apis;
const senders = (world: SettlementWorld) => world.senders;

const KINDS: readonly Named[] = [
  ...LANE_POINTS.map((point): Named => [`settlement killed ${point}`, killedAt('settlement', point, settlements)]),
  ['api killed before claim', killedAt('api', 'before claim', apis)],
  ['api killed after claim', killedAt('api', 'after claim', apis)],
  ['api killed before submit', killedAt('api', 'before submit', apis)],
  ['api killed after submit', killedAt('api', 'after submit', apis)],
  ['settlement killed before proof', killedAt('settlement', 'before proof', settlements)],
  ['settlement killed after completion', killedAt('settlement', 'after completion', settlements)],
  ['webhooks killed in claim', killedAt('webhooks', 'in-claim', senders)],
  ['webhooks killed before deliver', killedAt('webhooks', 'before-send', senders)],
  ['webhooks killed after deliver', killedAt('webhooks', 'after-send', senders)],
  ['api killed', kill('api', apis)],
  ['settlements killed', kill('settlement', settlements)],
  ['webhooks killed', kill('webhooks', senders)],
  [
    'settlement frozen past its lane',
    {
      target: 'settlement',
      action: 'SIGSTOP',
      point: 'any moment',
      strike: async (world, _, { ready }) => {
        await ready();
        const holder = await busiest(world);
        const before = await epochs(world);
        holder.freeze();
        // The worst moment to come back is when another has just taken the lane.
        const taken = await waitUntil(async () => (await epochs(world)) > before, TAKEN_OVER_MS, 20);
        holder.thaw();
        return taken ? 1 : 0;
      },
    },
  ],
  ['webhooks frozen past its lease', simple('webhooks', 'SIGSTOP', (world) => frozenFor(world.senders, LEASE_MS))],
  ['api frozen', simple('api', 'SIGSTOP', (world) => frozenFor(world.apis, TROUBLE_MS))],
  ['database shut down', simple('database', 'restart, fast', ({ postgres }) => postgres.restart('fast'))],
  ['database crashed', simple('database', 'restart, immediate', ({ postgres }) => postgres.restart('immediate'))],
  ['engine killed', simple('engines', 'kill -9', async ({ engines }) => engines[0]?.restart('killed'))],
  [
    'engines emptied',
    simple('engines', 'data deleted', async ({ engines }) => {
      await Promise.all(engines.map((engine) => engine.restart('emptied')));
    }),
  ],
  ['nodes drop', node('drops', 'drops')],
  ['nodes delay', node('delays', 'delays')],
  ['nodes err after broadcast', { ...node('errs', 'errs after broadcast'), point: 'after broadcast' }],
  ['nodes stale', node('stale blocks', 'stale')],
  ['chain reorganised', node('reorg', 'honest', reorganise)],
  ['two heads', node('two heads', 'two heads', reorganise)],
  ['receiver hangs', receiverMood('hang')],
  ['receiver drips', receiverMood('drip')],
  [
    'receiver killed',
    simple('receiver', 'kill -9', async ({ receiver }) => {
      await receiver.kill();
      await sleep(DOWN_MS);
      await receiver.start();
    }),
  ],
];

export const FAULTS: ReadonlyMap<string, Fault> = new Map(KINDS);
export const FAULT_KINDS: readonly string[] = [...FAULTS.keys()];

/** Of the settlements: where a lane was looked after last. */
export async function busiest({ settlements: all }: SettlementWorld): Promise<Program> {
  const ages = await Promise.all(
    all.map(async (program) => {
      const heard = program.hear<number>('beatAgeMs', REACH_MS);
      program.tell({ ask: 'beatAgeMs' });
      return { program, ageMs: (await heard) ?? Number.POSITIVE_INFINITY };
    }),
  );
  const [first] = ages.toSorted((one, other) => one.ageMs - other.ageMs);
  if (first === undefined) throw new Error('there is no settlement');
  return first.program;
}

async function epochs({ postgres }: SettlementWorld): Promise<number> {
  const { rows } = await postgres.pool.query<{ sum: number }>(
    `select sum(epoch)::integer as sum from svc.relayers where duty = 'settle'`,
  );
  return rows[0]?.sum ?? 0;
}

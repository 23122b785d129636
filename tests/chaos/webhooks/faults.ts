// What strikes, and what was in flight when it struck. A fault that found nothing in flight proves nothing: it is not
// counted, and is tried again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../harness/dice.ts';
import type { Program } from '../harness/program.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { PausePoint } from './pause-points.ts';
import type { ChaosWorld } from './world.ts';

/** Deliveries under a lease, all over, as the fault struck; and those that are known to be hit. */
export type Struck = { readonly inFlight: number; readonly hit: readonly string[] | number };

/** Undefined when there was nothing to strike at. */
type Fault = (world: ChaosWorld, dice: Dice) => Promise<Struck | undefined>;

const REACH_MS = 4_000;
const GATHER_MS = 40;
const OVERDUE_MS = 20_000;
const DOWN_MS = 1_000;

const FAULTS = {
  'sender killed in claim': killedAt('in-claim'),
  'sender killed before send': killedAt('before-send'),
  'sender killed after send': killedAt('after-send'),
  'sender killed': async (world, dice) => {
    const busy = await busySender(world, dice);
    if (busy === undefined) return undefined;
    const inFlight = await leased(world);
    await busy.sender.kill();
    await busy.sender.start();
    return { inFlight, hit: busy.inHand };
  },
  'sender frozen past its lease': async (world, dice) => {
    const busy = await busySender(world, dice);
    if (busy === undefined) return undefined;
    const before = await lostAttempts(world);
    busy.sender.freeze();
    const inFlight = await leased(world);
    // The worst moment to come back is when another has just taken over what one still holds.
    await waitUntil(async () => (await lostAttempts(world)) > before, OVERDUE_MS, 20);
    busy.sender.thaw();
    return { inFlight, hit: (await lostAttempts(world)) - before };
  },
  'database shut down': async (world) => {
    const inFlight = await leased(world);
    await world.postgres.restart('fast');
    return { inFlight, hit: inFlight };
  },
  'database crashed': async (world) => {
    const inFlight = await leased(world);
    await world.postgres.restart('immediate');
    return { inFlight, hit: inFlight };
  },
  'engines killed': async (world) => {
    const inFlight = await leased(world);
    await Promise.all(world.engines.map((engine) => engine.restart('killed')));
    return { inFlight, hit: inFlight };
  },
  'engines emptied': async (world) => {
    const inFlight = await leased(world);
    await Promise.all(world.engines.map((engine) => engine.restart('emptied')));
    return { inFlight, hit: inFlight };
  },
  'receiver killed': async (world) => {
    const inFlight = await leased(world);
    await world.receiver.kill();
    await sleep(DOWN_MS);
    await world.receiver.start();
    return { inFlight, hit: inFlight };
  },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof FAULTS;
export const FAULT_KINDS = Object.keys(FAULTS) as readonly FaultKind[];

const STRIKE_TRIES = 100;

/** Strikes as soon as there is something in flight. */
export async function strike(kind: FaultKind, world: ChaosWorld, dice: Dice): Promise<Struck> {
  for (let tries = 0; tries < STRIKE_TRIES; tries += 1) {
    if ((await leased(world)) > 0) {
      const struck = await FAULTS[kind](world, dice);
      if (struck !== undefined && struck.inFlight > 0) return struck;
    }
    await sleep(GATHER_MS);
  }
  throw new Error(`nothing in flight for: ${kind}`);
}

function killedAt(point: PausePoint): Fault {
  return async (world, dice) => {
    for (const sender of dice.shuffled(world.senders)) {
      const held = sender.hear<readonly string[]>('held', REACH_MS);
      sender.tell({ pauseAt: point });
      const first = await held;
      if (first !== undefined) {
        await sleep(GATHER_MS);
        const inFlight = await leased(world);
        await sender.kill();
        await sender.start();
        return { inFlight, hit: first };
      }
      // It has no shard just now; whatever it reaches later, it is not to stop.
      sender.tell({ pauseAt: 'nowhere' });
    }
    return undefined;
  };
}

async function busySender(
  { senders }: ChaosWorld,
  dice: Dice,
): Promise<{ sender: Program; inHand: number } | undefined> {
  for (const sender of dice.shuffled(senders)) {
    const answer = sender.hear<number>('inHand', REACH_MS);
    sender.tell({ ask: 'inHand' });
    const inHand = (await answer) ?? 0;
    if (inHand > 0) return { sender, inHand };
  }
  return undefined;
}

async function leased({ postgres }: ChaosWorld): Promise<number> {
  const { rows } = await postgres.pool.query<{ count: number }>(
    `select count(*)::integer as count from svc.deliveries where status = 'pending' and lease_until > now()`,
  );
  return rows[0]?.count ?? 0;
}

async function lostAttempts({ postgres }: ChaosWorld): Promise<number> {
  const { rows } = await postgres.pool.query<{ count: number }>(
    `select count(*)::integer as count from svc.delivery_attempts where error like 'the sender ended%'`,
  );
  return rows[0]?.count ?? 0;
}

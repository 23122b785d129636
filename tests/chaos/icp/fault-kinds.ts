// What strikes a payment on the Internet Computer, and where.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BoundaryFaults } from '@svc-pay/icp/local';
import { forgeTransfer } from '@svc-pay/icp/testing';
import type { Moment as StrikeMoment } from '../harness/break-things.ts';
import type { Program } from '../harness/program.ts';
import { notify } from './ask-icp.ts';
import type { AskPoint, LedgerPoint } from './pause-points.ts';
import type { IcpTraffic } from './traffic.ts';
import { type IcpChaosWorld, TOKEN_LEDGER } from './world.ts';

type Moment = StrikeMoment & { readonly traffic: IcpTraffic };
/** Strikes. Returns what it is known to have hit. */
export type IcpFault = (world: IcpChaosWorld, moment: Moment) => Promise<number>;

const REACH_MS = 15_000;
/** Refunds are few, and are looked after every ten seconds. */
const REACH_REFUND_MS = 40_000;
const REFUND_POINT = /proof|completion/;
const TROUBLE_MS = 3_000;
const LONGER_THAN_PATIENCE_MS = 5_000;
const HOUR_MS = 3_600_000;
const LIES = 3;

/** Whoever gets to the point first stays there until enough is in flight, and is killed. */
const killedAt =
  (point: LedgerPoint | AskPoint, of: (world: IcpChaosWorld) => readonly Program[]): IcpFault =>
  async (world, { ready, more }) => {
    const programs = of(world);
    const patienceMs = REFUND_POINT.test(point) ? REACH_REFUND_MS : REACH_MS;
    const reached = programs.map(async (program) => {
      const held = program.hear<readonly string[]>('held', patienceMs);
      program.tell({ pauseAt: point });
      return (await held) === undefined ? Promise.reject(new Error('not reached')) : program;
    });
    more();
    const first = await Promise.any(reached).catch(() => undefined);
    for (const program of programs) if (program !== first) program.tell({ pauseAt: 'nowhere' });
    if (first === undefined) return 0;
    await ready();
    // The others may have got there as well before they were told otherwise.
    const isHeld = (index: number) =>
      Promise.race([reached[index]?.then(() => true), sleep(0).then(() => false)]).catch(() => false);
    const held = await Promise.all(programs.map((_, index) => isHeld(index)));
    const victims = programs.filter((_, index) => held[index]);
    await Promise.all(victims.map((program) => program.kill()));
    await Promise.all(victims.map((program) => program.start()));
    return victims.length;
  };

const killed =
  (of: (world: IcpChaosWorld) => readonly Program[]): IcpFault =>
  async (world, { ready }) => {
    await ready();
    await Promise.all(of(world).map((program) => program.kill()));
    await Promise.all(of(world).map((program) => program.start()));
    return of(world).length;
  };

const simple =
  (strike: (world: IcpChaosWorld) => Promise<unknown>): IcpFault =>
  async (world, { ready }) => {
    await ready();
    await strike(world);
    return 1;
  };

/** Calls are counted that got as far as the ledger; where none does, the payments that wait for one. */
const boundary =
  (faults: Partial<BoundaryFaults>, meanwhile: IcpFault = async () => 0): IcpFault =>
  async (world, moment) => {
    const { ic } = world;
    const before = { ...ic.faults };
    await moment.ready();
    const inFlight = moment.traffic.inFlight();
    let hit = 0;
    const lieToCalls: BoundaryFaults['lieToCalls'] = (...asked) => {
      hit += 1;
      return faults.lieToCalls?.(...asked);
    };
    Object.assign(ic.faults, faults, { lieToCalls });
    moment.more();
    hit += await meanwhile(world, moment);
    await sleep(TROUBLE_MS);
    Object.assign(ic.faults, before);
    const isUnheard = faults.down || faults.expiredCalls || faults.delayMs !== undefined;
    return hit + (isUnheard ? inFlight : 0);
  };

/** Blocks that pay an intent which nobody pays, in answers whose certificates do not hold, and somebody who names them. */
const forging =
  (certificates: BoundaryFaults['certificates']): IcpFault =>
  async (world, moment) => {
    const victim = await moment.traffic.unpaid();
    if (victim === undefined) return 0;
    const { option } = victim;
    const [liar] = moment.traffic.payers.all;
    const transfer = {
      from: liar?.getPrincipal().toText() ?? '',
      to: option.to.owner,
      amountAtomic: BigInt(option.amount),
      memo: Buffer.from(option.memo.slice(2), 'hex'),
    };
    const lieToCalls: BoundaryFaults['lieToCalls'] = (asked, truth) =>
      asked.canister === TOKEN_LEDGER ? forgeTransfer(asked, truth, transfer) : undefined;
    return boundary({ certificates, lieToCalls }, async (_, { traffic: { payers } }) => {
      for (let lies = 0n; lies < LIES; lies += 1n)
        await notify(world, victim, { block: payers.length() + 100n + lies, is: 'made up' });
      return 0;
    })(world, moment);
  };

const settlements = ({ settlements: all }: IcpChaosWorld) => all;
const apis = ({ apis: all }: IcpChaosWorld) => all;
const POINTS: readonly LedgerPoint[] = [
  'after cursor',
  'before move',
  'after move',
  'before keep',
  'after keep',
  'before apply',
  'after apply',
  'before drop',
  'after drop',
  'before notify',
  'after notify',
  'before answer',
  'before proof',
  'after completion',
];

export const ICP_FAULTS: ReadonlyMap<string, IcpFault> = new Map<string, IcpFault>([
  ...POINTS.map((point): [string, IcpFault] => [`settlement killed ${point}`, killedAt(point, settlements)]),
  ['settlements killed', killed(settlements)],
  ['api killed before ask', killedAt('before ask', apis)],
  ['api killed after ask', killedAt('after ask', apis)],
  ['webhooks killed', killed(({ senders }) => senders)],
  ['database shut down', simple(({ postgres }) => postgres.restart('fast'))],
  ['database crashed', simple(({ postgres }) => postgres.restart('immediate'))],
  ['engine killed', simple(({ engine }) => engine.restart('killed'))],
  ['engine emptied', simple(({ engine }) => engine.restart('emptied'))],
  ['boundary down', boundary({ down: true })],
  ['boundary too slow', boundary({ delayMs: LONGER_THAN_PATIENCE_MS })],
  ['boundary loses replies', boundary({ loseReplies: Number.POSITIVE_INFINITY })],
  ['boundary calls expired', boundary({ expiredCalls: true })],
  ['boundary certificates stale', boundary({ certificateAgeMs: HOUR_MS, staleTime: true })],
  ['boundary forges blocks', forging('forged')],
  ['boundary of another network forges blocks', forging('foreign')],
]);
export const ICP_FAULT_KINDS: readonly string[] = [...ICP_FAULTS.keys()];

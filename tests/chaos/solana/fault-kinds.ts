// What strikes a Solana payment, and where.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Moment } from '../harness/break-things.ts';
import type { Program } from '../harness/program.ts';
import type { ClaimPoint } from '../settlement/api-process.ts';
import type { LanePoint } from '../settlement/pause-points.ts';
import type { RefundPoint } from '../settlement/settlement-process.ts';
import type { Temper } from './rpc-node.ts';
import type { SolanaChaosWorld } from './world.ts';

/** Strikes. Returns what it is known to have hit. */
export type SolanaFault = (world: SolanaChaosWorld, moment: Moment) => Promise<number>;

const REACH_MS = 12_000;
/** Refunds are few, and begin when their payment is final. */
const REACH_REFUND_MS = 40_000;
const REFUND_POINT = /submit|proof|completion/;
const TROUBLE_MS = 2_500;
/** Past the last height of whatever is signed by now, and that final. */
const EXPIRING_SLOTS = 200n;

/** Who gets to the point stays there until enough is in flight, and is killed. */
const killedAt =
  (point: LanePoint | RefundPoint | ClaimPoint, of: (world: SolanaChaosWorld) => Program): SolanaFault =>
  async (world, { ready, more }) => {
    const program = of(world);
    const isApi = program === world.api;
    if (isApi) await ready();
    const held = program.hear<readonly string[]>('held', REFUND_POINT.test(point) ? REACH_REFUND_MS : REACH_MS);
    program.tell({ pauseAt: point });
    if (isApi) more();
    const ids = await held;
    if (ids === undefined) {
      program.tell({ pauseAt: 'nowhere' });
      return 0;
    }
    if (!isApi) await ready();
    await program.kill();
    await program.start();
    return ids.length;
  };

const killed =
  (of: (world: SolanaChaosWorld) => Program): SolanaFault =>
  async (world, { ready }) => {
    await ready();
    await of(world).kill();
    await of(world).start();
    return 1;
  };

const nodes =
  (temper: Temper, meanwhile?: (world: SolanaChaosWorld) => Promise<void>): SolanaFault =>
  async (world, { ready, more }) => {
    await ready();
    const strikes = () => world.nodes.reduce((sum, node) => sum + node.strikes(), 0);
    const before = strikes();
    for (const node of world.nodes) node.behave(temper);
    more();
    await sleep(TROUBLE_MS);
    await meanwhile?.(world);
    for (const node of world.nodes) node.behave('honest');
    return strikes() - before;
  };

const simple =
  (strike: (world: SolanaChaosWorld) => Promise<unknown>): SolanaFault =>
  async (world, { ready }) => {
    await ready();
    await strike(world);
    return 1;
  };

const LANE_STEPS = ['store', 'broadcast', 'receipt', 'record'] as const;
const settlement = (world: SolanaChaosWorld) => world.settlement;
const api = (world: SolanaChaosWorld) => world.api;

export const SOLANA_FAULTS: ReadonlyMap<string, SolanaFault> = new Map<string, SolanaFault>([
  ...LANE_STEPS.flatMap((step): [string, SolanaFault][] => [
    [`settlement killed before ${step}`, killedAt(`before ${step}`, settlement)],
    [`settlement killed after ${step}`, killedAt(`after ${step}`, settlement)],
  ]),
  ['settlement killed', killed(settlement)],
  ['api killed before claim', killedAt('before claim', api)],
  ['api killed after claim', killedAt('after claim', api)],
  ['api killed before submit', killedAt('before submit', api)],
  ['api killed after submit', killedAt('after submit', api)],
  ['settlement killed before proof', killedAt('before proof', settlement)],
  ['settlement killed after completion', killedAt('after completion', settlement)],
  ['webhooks killed', killed((world) => world.sender)],
  ['database shut down', simple(({ postgres }) => postgres.restart('fast'))],
  ['database crashed', simple(({ postgres }) => postgres.restart('immediate'))],
  ['engine killed', simple(({ engine }) => engine.restart('killed'))],
  ['engine emptied', simple(({ engine }) => engine.restart('emptied'))],
  ['nodes drop sends', nodes('drops sends')],
  ['nodes refuse with 429', nodes('refuses')],
  ['nodes lag', nodes('lags')],
  ['nodes err after send', nodes('errs after send')],
  ['nodes cut connections', nodes('cuts')],
  ['all sends lost until they expired', nodes('drops sends', ({ faucet }) => faucet.advance(EXPIRING_SLOTS))],
]);
export const SOLANA_FAULT_KINDS: readonly string[] = [...SOLANA_FAULTS.keys()];

// Half of what the machine can do, for a long time, with a fault every minute. Faults here let the services live: a process
// that is begun again has no past that could leak.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../progress.ts';
import type { PaymentsVerdict } from '../checker/check-payments.ts';
import { createDice } from '../harness/dice.ts';
import { planFaults } from '../harness/plan-faults.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { conclude } from '../settlement/conclude.ts';
import { type StruckFault, strike } from '../settlement/strike.ts';
import { openTraffic, type Traffic } from '../settlement/traffic.ts';
import { type SettlementWorld, startSettlementWorld } from '../settlement/world.ts';
import { type Growth, judgeFlatness } from './judge-flatness.ts';
import { type Sample, sampleWorld } from './sample-world.ts';

export type SoakResult = PaymentsVerdict & {
  readonly payments: number;
  readonly perSecond: number;
  readonly struck: readonly (StruckFault & { readonly atSeconds: number })[];
  readonly samples: readonly Sample[];
  readonly growth: readonly Growth[];
};

const KINDS: readonly string[] = [
  'settlement frozen past its lane',
  'webhooks frozen past its lease',
  'api frozen',
  'database shut down',
  'database crashed',
  'engine killed',
  'nodes drop',
  'nodes delay',
  'nodes err after broadcast',
  'nodes stale',
  'chain reorganised',
  'two heads',
  'receiver hangs',
  'receiver drips',
  'receiver killed',
];
const BURST = 1_000;
const BURST_PATIENCE_MS = 120_000;
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;
const FIRST_FAULT_MS = 30_000;
/** Clients that wait for a service that is away are not joined by ever more. */
const MOST_OPEN_SECONDS = 10;

export async function runSoak(minutes: number, seed: number, progress: Progress): Promise<SoakResult> {
  const dice = createDice(seed);
  const world = await startSettlementWorld({ seed, dice: createDice(seed + 1) });
  let red = true;
  try {
    const traffic = await openTraffic(world, world.history, seed);
    const full = await measureFullLoad(traffic);
    const perSecond = Math.max(1, Math.floor(full / 2));
    progress.print(`a burst of ${BURST} payments ends at ${full.toFixed(1)} a second; half of it is ${perSecond}`);
    const beganMs = performance.now();
    const elapsedMs = () => performance.now() - beganMs;
    const untilMs = minutes * MINUTE_MS;
    const [samples, struck] = await Promise.all([
      sampleAll(world, elapsedMs, untilMs, (sample) =>
        progress.show(
          Math.round(sample.seconds),
          `seconds, ${traffic.ended()} of ${traffic.released()} payments ended`,
        ),
      ),
      strikeAll(world, planFaults(KINDS, minutes, dice), { elapsedMs, dice, traffic, progress }),
      payEvenly(traffic, perSecond, elapsedMs, untilMs),
    ]);
    // The bar counts seconds, and those are over.
    const show: Progress['show'] = (ended, note) => progress.show(minutes * 60, `seconds, ${ended} ${note}`);
    const found = await conclude(world, traffic, { ...progress, show });
    red = found.violations.length > 0;
    return { ...found, payments: traffic.released(), perSecond, struck, samples, growth: judgeFlatness(samples) };
  } finally {
    await world.stop(red);
    if (red) progress.print(`the evidence is in ${world.directory}`);
  }
}

async function measureFullLoad(traffic: Traffic): Promise<number> {
  const beganMs = performance.now();
  traffic.release(BURST);
  await waitUntil(() => Promise.resolve(traffic.ended() === BURST), BURST_PATIENCE_MS, 20);
  return (traffic.ended() * 1_000) / (performance.now() - beganMs);
}

async function payEvenly(traffic: Traffic, perSecond: number, elapsedMs: () => number, untilMs: number): Promise<void> {
  const base = traffic.released();
  while (elapsedMs() < untilMs) {
    const due = Math.floor((elapsedMs() / 1_000) * perSecond) - (traffic.released() - base);
    const room = perSecond * MOST_OPEN_SECONDS - (traffic.released() - traffic.ended());
    traffic.release(Math.max(0, Math.min(due, perSecond, room)));
    await sleep(100);
  }
}

async function sampleAll(
  world: SettlementWorld,
  elapsedMs: () => number,
  untilMs: number,
  onSample: (sample: Sample) => void,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  while (elapsedMs() < untilMs) {
    // A database that is being restarted is asked again at the next turn.
    const sample = await sampleWorld(world, elapsedMs() / 1_000).catch(() => undefined);
    if (sample !== undefined) {
      samples.push(sample);
      onSample(sample);
    }
    await sleep(SAMPLE_MS);
  }
  return samples;
}

type Strokes = {
  readonly elapsedMs: () => number;
  readonly dice: ReturnType<typeof createDice>;
  readonly traffic: Traffic;
  readonly progress: Progress;
};

async function strikeAll(
  world: SettlementWorld,
  kinds: readonly string[],
  { elapsedMs, dice, traffic, progress }: Strokes,
): Promise<SoakResult['struck']> {
  const struck: SoakResult['struck'][number][] = [];
  for (const [index, kind] of kinds.entries()) {
    await sleep(Math.max(0, FIRST_FAULT_MS + index * MINUTE_MS - elapsedMs()));
    const atSeconds = elapsedMs() / 1_000;
    const faults = await strike(world, dice, [kind], { wanted: 1, traffic });
    for (const fault of faults) {
      world.history.note('fault', fault);
      struck.push({ ...fault, atSeconds });
      progress.print(`minute ${index + 1}: ${kind}; ${fault.inFlight} payments in flight; hit ${fault.hit}`);
    }
  }
  return struck;
}

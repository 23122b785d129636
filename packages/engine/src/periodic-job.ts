// A periodic job runs again and again for some seconds inside one durable invocation, which then sends the next one. An
// invocation costs the engine many times what one run costs the database; a crash loses only the rest of a pause. A job that has
// nothing to do rests: its next invocation is sent for much later, and a look in this process that finds work sends one at once.
import { setTimeout as sleep } from 'node:timers/promises';
import * as restate from '@restatedev/restate-sdk';
import type { PeriodicJob } from '@svc-pay/core';
import type { Gate } from './graceful-drain.ts';
import { RETRIES } from './retry.ts';

/** How long one invocation repeats the job. A process that takes the job over waits this long at most. */
const PIECE_MS = 4_000;

/** A job that has just run does not run again because somebody asks for it. */
const JUST_RUN_MS = 1_000;

/** A rest is between these times of what was asked for: jobs that fell asleep together do not run together. */
const EARLIEST_REST = 0.75;
export const LATEST_REST = 1.25;

/** A JSON string, as the ingress writes it. */
const TEXT: restate.Serde<string> = {
  contentType: 'application/json',
  serialize: (text) => new TextEncoder().encode(JSON.stringify(text)),
  deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as string,
};

/** What follows a piece, as the journal keeps it; pieces of earlier releases kept nothing. */
type Piece = { readonly pauseMs: number; readonly rests: boolean };

/** `wake` lets the job run at once and go on from there: a new generation. */
export function jobObject(
  given: PeriodicJob,
  gate: Gate,
  wake: () => Promise<void>,
): restate.VirtualObjectDefinition<string, unknown> {
  let ranMs = Number.NEGATIVE_INFINITY;
  const run = async () => {
    await given.run();
    ranMs = performance.now();
  };
  const job = { ...given, run };
  const send = (ctx: restate.ObjectContext, generation: string, delay: number) =>
    ctx.genericSend({
      service: job.name,
      method: 'beat',
      key: ctx.key,
      parameter: generation,
      inputSerde: TEXT,
      delay,
    });
  return restate.object({
    name: job.name,
    options: RETRIES,
    handlers: {
      /** Called by every process that starts; only the newest generation of invocations goes on. */
      start: async (ctx: restate.ObjectContext): Promise<void> => {
        const generation = ctx.rand.uuidv4();
        ctx.set('generation', generation);
        send(ctx, generation, 0);
      },
      beat: (ctx: restate.ObjectContext, generation: string): Promise<void> => {
        const attemptOver = ctx.request().attemptCompletedSignal;
        return gate.during(attemptOver, async () => {
          if ((await ctx.get<string>('generation')) !== generation) return;
          const over = AbortSignal.any([gate.leaving, attemptOver]);
          const piece: Piece | undefined = await ctx.run('beats', () => runRepeatedly(job, over));
          // Outside of the journal: a process that repeats the attempt looks out for the job too.
          if (piece?.rests) job.rest?.begin(wake);
          send(ctx, generation, piece?.pauseMs ?? job.everyMs);
        });
      },
      /** Runs the job once beside its intervals, never at the same time. However many ask, it runs about once a second. */
      soon: (ctx: restate.ObjectContext): Promise<void> => {
        const attemptOver = ctx.request().attemptCompletedSignal;
        return gate.during(attemptOver, async () => {
          await ctx.run('soon', async () => {
            if (performance.now() - ranMs >= JUST_RUN_MS) await job.run();
          });
        });
      },
    },
  });
}

async function runRepeatedly(job: PeriodicJob, over: AbortSignal): Promise<Piece> {
  const { run, everyMs } = job;
  const goesOn: Piece = { pauseMs: everyMs, rests: false };
  const endMs = performance.now() + PIECE_MS;
  // A run beside the intervals does not end a rest.
  job.rest?.end();
  await run();
  // A job whose rest is over, and that still has nothing to do, ran once for safety.
  if (over.aborted || (await mayRest(job))) return over.aborted ? goesOn : restOf(job);
  while (performance.now() + everyMs <= endMs) {
    // An aborted sleep means that the process leaves or the attempt is over: the job does not run again here.
    await sleep(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return goesOn;
    await run();
    if (over.aborted) return goesOn;
  }
  return (await mayRest(job)) ? restOf(job) : goesOn;
}

const mayRest = async ({ everyMs, rest }: PeriodicJob): Promise<boolean> =>
  rest !== undefined && rest.everyMs > everyMs && (await rest.mayBegin());

function restOf({ everyMs, rest }: PeriodicJob): Piece {
  const share = EARLIEST_REST + Math.random() * (LATEST_REST - EARLIEST_REST);
  return { pauseMs: Math.round((rest?.everyMs ?? everyMs) * share), rests: true };
}

// Work that comes round: a reconciler, a sealer, a timer's sweep. Some seconds of beats are one durable piece of work, which
// sends the next one: to the engine a beat costs many times what it costs the database, and a crash loses nothing but the
// rest of a pause.
import { setTimeout as sleep } from 'node:timers/promises';
import * as restate from '@restatedev/restate-sdk';
import type { Gate } from './gate.ts';
import { RETRIES } from './retry.ts';

export type Pulse = {
  readonly name: string;
  readonly everyMs: number;
  /** May run twice for one beat, and must not mind. */
  readonly beat: () => Promise<void>;
};

/** How long one piece of work goes on beating. Who wants to take the pulse over waits this long at most. */
const PIECE_MS = 4_000;

/** As the ingress writes it: a JSON string. */
const TEXT: restate.Serde<string> = {
  contentType: 'application/json',
  serialize: (text) => new TextEncoder().encode(JSON.stringify(text)),
  deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as string,
};

export function pulseObject(pulse: Pulse, gate: Gate): restate.VirtualObjectDefinition<string, unknown> {
  const send = (ctx: restate.ObjectContext, generation: string, delay: number) =>
    ctx.genericSend({
      service: pulse.name,
      method: 'beat',
      key: ctx.key,
      parameter: generation,
      inputSerde: TEXT,
      delay,
    });
  return restate.object({
    name: pulse.name,
    options: RETRIES,
    handlers: {
      /** Every process that starts calls it; only the newest chain of beats goes on. */
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
          await ctx.run('beats', () => beatForAWhile(pulse, over));
          send(ctx, generation, pulse.everyMs);
        });
      },
    },
  });
}

async function beatForAWhile({ beat, everyMs }: Pulse, over: AbortSignal): Promise<void> {
  const endMs = performance.now() + PIECE_MS;
  for (;;) {
    await beat();
    if (over.aborted || performance.now() + everyMs > endMs) return;
    // Cut short by what it waits for: then there is no next beat.
    await sleep(everyMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
  }
}

// Work that comes round: a reconciler, a sealer, a timer's sweep. Each beat is durable and sends the next one.
import * as restate from '@restatedev/restate-sdk';
import type { Gate } from './gate.ts';
import { RETRIES } from './retry.ts';

export type Pulse = {
  readonly name: string;
  readonly everyMs: number;
  /** May run twice for one beat, and must not mind. */
  readonly beat: () => Promise<void>;
};

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
      beat: (ctx: restate.ObjectContext, generation: string): Promise<void> =>
        gate.during(async () => {
          if ((await ctx.get<string>('generation')) !== generation) return;
          await ctx.run('beat', pulse.beat);
          send(ctx, generation, pulse.everyMs);
        }),
    },
  });
}

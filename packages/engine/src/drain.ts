// A drain empties one queue, one key at a time: the engine lets a single invocation per key run, keeps its place through
// crashes and starts it again. It decides who runs; what is true stands in the database, behind a fence of its own,
// because after a crash an old invocation may run beside the new one for seconds.
import * as restate from '@restatedev/restate-sdk';
import type { Gate } from './gate.ts';
import { RETRIES } from './retry.ts';

/** `now`: there may be more. `idle`: the queue is empty and says so in its own row. Otherwise look again later. */
export type Next = 'now' | 'idle' | { readonly afterMs: number };

export type Drain = {
  readonly name: string;
  /** Takes the key over: from here on writes under an earlier fence match nothing. */
  readonly fence: (key: string) => Promise<string>;
  /**
   * One bounded piece of work. Runs at least once: it looks for what it began before it begins anew. The signal fires when
   * this attempt is over, whatever it was doing.
   */
  readonly step: (key: string, fence: string, attemptOver: AbortSignal) => Promise<Next>;
};

/** Journals grow with every step; a fresh invocation starts a fresh one. */
const MAX_STEPS = 30;
/** Until then somebody else serves, or this process has come back. */
const HANDED_OVER: Next = { afterMs: 250 };

export function drainObject(drain: Drain, gate: Gate): restate.VirtualObjectDefinition<string, unknown> {
  return restate.object({
    name: drain.name,
    options: RETRIES,
    handlers: {
      drain: (ctx: restate.ObjectContext): Promise<void> => {
        const attemptOver = ctx.request().attemptCompletedSignal;
        return gate.during(attemptOver, async () => {
          // Outside of the journal: an attempt that is repeated must fence off the one it repeats, not share its fence.
          const fence = await drain.fence(ctx.key);
          // Whether to go on is part of what the journal keeps: an attempt that is repeated decides the same.
          const step = async (): Promise<Next> => {
            if (gate.isLeaving()) return HANDED_OVER;
            const done = await drain.step(ctx.key, fence, attemptOver);
            return done === 'now' && gate.isLeaving() ? HANDED_OVER : done;
          };
          let next: Next = 'now';
          for (let steps = 0; steps < MAX_STEPS && next === 'now'; steps += 1) next = await ctx.run('step', step);
          if (next === 'idle') return;
          ctx.genericSend({
            service: drain.name,
            method: 'drain',
            key: ctx.key,
            parameter: undefined,
            inputSerde: restate.serde.empty,
            ...(next !== 'now' && { delay: next.afterMs }),
          });
        });
      },
    },
  });
}

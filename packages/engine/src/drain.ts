// A drain empties one queue per key. Restate runs a single invocation per key and starts it again after a crash. After
// a crash an old invocation may still run beside the new one for seconds: each drain therefore fences its writes in the
// database, which alone says what is true.
import * as restate from '@restatedev/restate-sdk';
import type { Gate } from './graceful-drain.ts';
import { RETRIES } from './retry.ts';

/**
 * `now`: there may be more. `idle`: the queue is empty and its row says so. Otherwise it runs again after `afterMs`.
 */
export type Next = 'now' | 'idle' | { readonly afterMs: number };

export type Drain = {
  readonly name: string;
  /** Takes the key over: writes under an earlier fence match nothing from here on. */
  readonly fence: (key: string) => Promise<string>;
  /**
   * One bounded piece of work. It may run more than once, so it looks for work it began before it begins new work. The
   * signal fires when this attempt is over, whatever the step is doing.
   */
  readonly step: (key: string, fence: string, attemptOver: AbortSignal) => Promise<Next>;
};

/** The journal grows with every step; after this many a new invocation starts with an empty journal. */
const MAX_STEPS = 30;
/** Delay of a handed-over drain: by then another process serves it, or this process is back. */
const HANDED_OVER: Next = { afterMs: 250 };

export function drainObject(drain: Drain, gate: Gate): restate.VirtualObjectDefinition<string, unknown> {
  return restate.object({
    name: drain.name,
    options: RETRIES,
    handlers: {
      drain: (ctx: restate.ObjectContext): Promise<void> => {
        const attemptOver = ctx.request().attemptCompletedSignal;
        return gate.during(attemptOver, async () => {
          // Outside of the journal: a repeated attempt must fence off the attempt it repeats, not share its fence.
          const fence = await drain.fence(ctx.key);
          // The journal keeps the decision to go on, so that a repeated attempt decides the same.
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

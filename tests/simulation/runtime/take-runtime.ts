// Node's own timers, stopwatch and randomness, for code that runs inside of a simulation; everybody else keeps the real
// ones. The product sleeps and draws ids as it always does: what answers is virtual time and the seed. Which simulated
// process is asking is known by the asynchronous context, so that the timers of a dead process never fire.
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { newId } from '@svc-pay/protocol/ids';

export type Inside = {
  /** Answers how to call it off. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  readonly nowMs: () => number;
  readonly fillRandom: (bytes: Uint8Array) => void;
};

const inside = new AsyncLocalStorage<Inside>();

/** Everything that `action` sets in motion, however much later, asks `context`. */
export function runInside<Result>(context: Inside, action: () => Result): Result {
  takeRuntime();
  return inside.run(context, action);
}

/** Ids are drawn from a pool that outlives a run: what is left of it is thrown away, so that a run starts with its own. */
export function drawFreshIds(): void {
  const context = inside.getStore();
  if (context === undefined) throw new Error('only inside of a simulation');
  let fills = 0;
  const fillRandom = (bytes: Uint8Array) => {
    fills += 1;
    context.fillRandom(bytes);
  };
  inside.run({ ...context, fillRandom }, () => {
    for (let drawn = 0; drawn < MOST_IN_POOL; drawn += 1) {
      newId('request', 0);
      if (fills > 0) return;
    }
  });
}

const MOST_IN_POOL = 10_000;

let taken = false;

function takeRuntime(): void {
  if (taken) return;
  taken = true;
  const real = { setTimeout, clearTimeout, setImmediate, sleep: timersPromises.setTimeout };
  const virtualTimeout = (action: (...given: unknown[]) => void, delayMs = 0, ...given: unknown[]) => {
    const context = inside.getStore();
    if (context === undefined) return real.setTimeout(action, delayMs, ...given);
    return new VirtualTimer(context.after(delayMs, () => inside.run(context, () => action(...given))));
  };
  const virtualImmediate = (action: (...given: unknown[]) => void, ...given: unknown[]) =>
    inside.getStore() === undefined ? real.setImmediate(action, ...given) : virtualTimeout(action, 0, ...given);
  const virtualClear = (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.cancel();
    else real.clearTimeout(timer as NodeJS.Timeout);
  };
  const virtualSleep = (delayMs?: number, value?: unknown, options?: object) => {
    const context = inside.getStore();
    if (context === undefined) return real.sleep(delayMs, value, options);
    return new Promise((resolve) => context.after(delayMs ?? 0, () => resolve(value)));
  };
  Object.assign(globalThis, {
    setTimeout: virtualTimeout,
    setImmediate: virtualImmediate,
    clearTimeout: virtualClear,
  });
  Object.assign(timersPromises, { setTimeout: virtualSleep });
  syncBuiltinESMExports();
  const realNow = performance.now.bind(performance);
  Object.defineProperty(performance, 'now', {
    configurable: true,
    value: () => inside.getStore()?.nowMs() ?? realNow(),
  });
  const realRandom = crypto.getRandomValues.bind(crypto);
  Object.defineProperty(crypto, 'getRandomValues', {
    configurable: true,
    value: (bytes: Uint8Array<ArrayBuffer>) => {
      const context = inside.getStore();
      if (context === undefined) return realRandom(bytes);
      context.fillRandom(bytes);
      return bytes;
    },
  });
}

class VirtualTimer {
  readonly cancel: () => void;
  constructor(cancel: () => void) {
    this.cancel = cancel;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

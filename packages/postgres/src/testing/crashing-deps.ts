// Lane deps whose every call may crash: before it takes effect, or after it but before it answers.
import type { LaneDeps } from '@svc-pay/core';

export class Crash extends Error {
  override readonly name = 'Crash';
}

/**
 * After a crash every call crashes until the lane is taken over: a dead process calls nothing, whoever catches its errors.
 * `draw` gives numbers from 0 to 1. Below `share` the call crashes, half of the time after it took effect.
 */
export function crashingDeps(deps: LaneDeps, share: number, draw: () => number): LaneDeps {
  let dead = false;
  const crash = (when: string): never => {
    dead = true;
    throw new Crash(when);
  };
  const crashing = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== 'function' || name === 'fit') return value;
        return async (...args: unknown[]) => {
          if (name === 'takeOver') dead = false;
          const chance = draw();
          if (dead || chance < share / 2) crash(`before ${String(name)}`);
          const result: unknown = await Reflect.apply(value, target, args);
          if (chance < share) crash(`after ${String(name)}`);
          return result;
        };
      },
    });
  return { ...deps, store: crashing(deps.store), chain: crashing(deps.chain) };
}

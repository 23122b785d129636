// A lane whose every call may be its last: before it has done anything, or after it has, unheard.
import type { LaneParts } from '@svc-pay/core';

export class Crash extends Error {
  override readonly name = 'Crash';
}

/** `draw` gives numbers from 0 to 1; below `share` the call ends the process, half of the time after its deed. */
export function crashingParts(parts: LaneParts, share: number, draw: () => number): LaneParts {
  const crashing = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== 'function' || name === 'fit') return value;
        return async (...args: unknown[]) => {
          const chance = draw();
          if (chance < share / 2) throw new Crash(`before ${String(name)}`);
          const result: unknown = await Reflect.apply(value, target, args);
          if (chance < share) throw new Crash(`after ${String(name)}`);
          return result;
        };
      },
    });
  return { ...parts, store: crashing(parts.store), chain: crashing(parts.chain) };
}

// What the SDK needs of the place it runs in. A browser and Node have all of it; tests bring their own.
import { systemNowMs } from './clock.ts';
import type { Shelf } from './pay/sent-payments.ts';

export type Ports = {
  readonly fetch: typeof globalThis.fetch;
  /** Unix time in milliseconds. May be wrong: what is signed is dated by the service's clock. */
  readonly nowMs: () => number;
  /** Resolves after the time, or as soon as the signal is aborted. Never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From a cryptographic source: nonces are made of it. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** A line for the page's developer. Called in test mode only. */
  readonly warn: (line: string) => void;
  /** Where it is remembered, over a reload, that something was sent for an intent; undefined where there is none. */
  readonly storage: Shelf | undefined;
};

export const systemPorts: Ports = {
  // Called as a method of something else, a browser's fetch throws.
  fetch: (input, init) => globalThis.fetch(input, init),
  nowMs: systemNowMs,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
    }),
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
  warn: (line) => globalThis.console?.warn(line),
  storage: pageStorage(),
};

/** Merely looking throws where storage is forbidden. Outside of a page there is none. */
function pageStorage(): Shelf | undefined {
  try {
    return (globalThis as { readonly window?: { readonly localStorage?: Shelf } }).window?.localStorage;
  } catch {
    return undefined;
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

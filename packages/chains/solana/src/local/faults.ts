// Faults between a client and a node that a test injects while it runs.

export type ProxiedCall = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

export type Faults = {
  /** This many sends are answered as accepted and dropped. */
  dropSends: number;
  /** This many sends are answered with an error and forwarded. */
  failSendsThatLand: number;
  /** This many requests are answered with HTTP 429. */
  refuseRequests: number;
  /** Delay of every answer. */
  delayMs: number;
  /** No connection is answered. */
  dead: boolean;
  /** Transactions that this node does not know yet. */
  readonly unheard: Set<string>;
  /** Replaces the true answer; undefined leaves answers unchanged. */
  lie: ((call: ProxiedCall, truth: unknown) => unknown) | undefined;
};

export function noFaults(): Faults {
  return {
    dropSends: 0,
    failSendsThatLand: 0,
    refuseRequests: 0,
    delayMs: 0,
    dead: false,
    unheard: new Set(),
    lie: undefined,
  };
}

/** Uses up one injected fault; true when there was one left. */
export function spend(faults: Faults, name: 'dropSends' | 'failSendsThatLand' | 'refuseRequests'): boolean {
  if (faults[name] <= 0) return false;
  faults[name] -= 1;
  return true;
}

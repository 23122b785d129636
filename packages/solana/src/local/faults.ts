// What may go wrong between us and a node, to be switched on while a test runs.

export type RpcCall = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

export type Faults = {
  /** So many sends are answered as if they were taken, and go nowhere. */
  dropSends: number;
  /** So many sends are answered with an error, and land. */
  failSendsThatLand: number;
  /** So many requests are answered with HTTP 429. */
  refuseRequests: number;
  /** Every answer comes this much later. */
  delayMs: number;
  /** No connection is answered. */
  dead: boolean;
  /** Transactions of which this node has not heard yet. */
  readonly unheard: Set<string>;
  /** Another answer than the true one; undefined leaves it as it is. */
  lie: ((call: RpcCall, truth: unknown) => unknown) | undefined;
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

/** Counts one off; true when there was one left. */
export function spend(faults: Faults, name: 'dropSends' | 'failSendsThatLand' | 'refuseRequests'): boolean {
  if (faults[name] <= 0) return false;
  faults[name] -= 1;
  return true;
}

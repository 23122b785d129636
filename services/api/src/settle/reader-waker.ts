// Lets the chain reader of a network run soon, because a client says that money is on its way. A hint and no more: the reader
// runs by itself too, and what it finds does not depend on the hint.
import type { NetworkId } from '@svc-pay/protocol';

export type ReaderWakerOptions = {
  /** Lets the reader's job run soon; throws if the engine does not accept. */
  readonly wake: (network: NetworkId) => Promise<void>;
  readonly nowMs: () => number;
  /** Shortest time between two wake-ups of one network; hints in between are dropped. */
  readonly pauseMs: number;
  readonly onProblem: (problem: unknown, network: NetworkId) => void;
};

/** Returns at once and never throws. */
export type WakeReader = (network: NetworkId) => void;

export function createReaderWaker({ wake, nowMs, pauseMs, onProblem }: ReaderWakerOptions): WakeReader {
  const wokenMs = new Map<NetworkId, number>();
  return (network) => {
    const now = nowMs();
    if (now - (wokenMs.get(network) ?? Number.NEGATIVE_INFINITY) < pauseMs) return;
    wokenMs.set(network, now);
    wake(network).catch((problem: unknown) => onProblem(problem, network));
  };
}

// What a run is told, and what it tells.
import type { BugName } from './world/bugs.ts';
import type { FaultKind } from './world/simulation.ts';

export type RunOptions = {
  readonly bug?: BugName | undefined;
  /** Only the first of the payments that the seed would bring. */
  readonly payments?: number | undefined;
  readonly without?: ReadonlySet<FaultKind> | undefined;
};

export type RunResult = {
  readonly seed: number;
  readonly steps: number;
  readonly payments: number;
  readonly deliveries: number;
  /** Completed ones. */
  readonly refunds: number;
  readonly faults: number;
  readonly violations: readonly string[];
  readonly history: readonly string[];
};

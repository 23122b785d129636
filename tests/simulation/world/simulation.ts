// One run: a seed, and what it decides.
import type { Clock } from '@svc-pay/core';
import { createTables, type Tables } from '@svc-pay/core/testing';
import { createDice, type Dice } from '../../chaos/harness/dice.ts';
import { createTimeline, type Timeline } from '../runtime/timeline.ts';

export const FAULT_KINDS = [
  'crash',
  'freeze',
  'store lost',
  'node lost',
  'node silent',
  'node still',
  'node swallows',
  'node denies',
  'node drops logs',
  'node lies about logs',
  'boundary silent',
  'boundary unreachable',
  'boundary slow',
  'boundary forges',
  'boundary replays',
  'block made up',
  'row locked',
  'reorg',
  'pool drop',
  'gas spike',
  'key used elsewhere',
  'authorization submitted',
  'engine restart',
  'engine forgets',
  'wake lost',
  'receiver errs',
  'receiver hangs',
  'receiver dies',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type Simulation = {
  readonly timeline: Timeline;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly tables: Tables;
  /** An intent code that was never given out, whatever becomes of the tables. */
  readonly newIntentCode: () => number;
  /** One line of the history. */
  readonly note: (who: string, what: string) => void;
  readonly history: readonly string[];
  /** With this chance, while the storm lasts; then it is counted. */
  readonly strikes: (kind: FaultKind, chance: number) => boolean;
  readonly strikeCount: () => number;
  readonly endStorm: () => void;
  readonly isStorm: () => boolean;
  /** What no run may ever do. */
  readonly violate: (rule: string, what: string) => void;
  readonly violations: readonly string[];
  /** Lives of processes that were frozen, or lost the store's answer: what they left behind has a cause. */
  readonly troubled: Set<string>;
  /** The same run with chances of its own: what they decide changes no other chance. */
  readonly apart: (salt?: number) => Simulation;
};

/** Any moment will do. */
export const START_MS = 1_800_000_000_000;
/** A run whose history is longer has lost its way. */
const MOST_NOTES = 20_000;

export function createSimulation(seed: number, without: ReadonlySet<FaultKind>): Simulation {
  const timeline = createTimeline(START_MS);
  const tables = createTables();
  const troubled = new Set<string>();
  const history: string[] = [];
  const violations: string[] = [];
  let storm = true;
  let strikes = 0;
  let codes = 0;
  const note = (who: string, what: string) => {
    if (history.length < MOST_NOTES) history.push(`${(timeline.nowMs() - START_MS) / 1_000} ${who}: ${what}`);
  };
  const build = (own: Dice): Simulation => ({
    timeline,
    clock: { nowMs: timeline.nowMs },
    dice: own,
    tables,
    newIntentCode: () => {
      codes += 1;
      return codes;
    },
    note,
    history,
    strikes: (kind, chance) => {
      if (!storm || own.roll() >= chance || without.has(kind)) return false;
      strikes += 1;
      return true;
    },
    strikeCount: () => strikes,
    endStorm: () => {
      storm = false;
    },
    isStorm: () => storm,
    violate: (rule, what) => {
      violations.push(`${rule}: ${what}`);
      note('VIOLATION', `${rule}: ${what}`);
    },
    violations,
    troubled,
    apart: (salt = 0) => build(createDice(Math.imul(seed + salt, 2_246_822_519))),
  });
  return build(createDice(Math.imul(seed, 2_654_435_761)));
}

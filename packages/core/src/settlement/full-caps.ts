// Counts up-to settlements that charge nearly the whole cap. Whoever has a merchant's key can have every open cap of an account
// charged in full, and whoever takes over the API those of all accounts, a few of each; a merchant charges what was used. Each
// process counts what it began itself.
import type { Mode } from '../account/mode.ts';

export type CapCharge = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly settledAtomic: bigint;
  readonly capAtomic: bigint;
};

type FullCapCounts = {
  /** The number of full caps of the account within the window, at the moment when it reaches `burst`; else undefined. */
  readonly charged: (charge: CapCharge, nowMs: number) => number | undefined;
  /** The number of full caps of the account that has most of them within the window. */
  readonly most: (mode: Mode, nowMs: number) => number;
  /** The number of full caps of all accounts within the window. */
  readonly all: (mode: Mode, nowMs: number) => number;
};

export const FULL_CAP_WINDOW_MS = 600_000;
const BURST = 20;
const NEARLY_FULL_PERCENT = 95n;
/** More are not told apart. */
const MOST_COUNTED = 1_000;

export function isFullCap({ settledAtomic, capAtomic }: Pick<CapCharge, 'settledAtomic' | 'capAtomic'>): boolean {
  return settledAtomic * 100n >= capAtomic * NEARLY_FULL_PERCENT;
}

export function countFullCaps(burst = BURST): FullCapCounts {
  /** Times by mode and account, oldest first. */
  const times = new Map<string, number[]>();
  /** Of each account, without those that are too old. */
  const recentOf = (mode: Mode, nowMs: number): readonly number[] => {
    for (const [name, each] of times) {
      const recent = each.filter((atMs) => atMs > nowMs - FULL_CAP_WINDOW_MS);
      if (recent.length === 0) times.delete(name);
      else times.set(name, recent);
    }
    return [...times].filter(([name]) => name.startsWith(`${mode} `)).map(([, each]) => each.length);
  };
  return {
    charged: (charge, nowMs) => {
      if (!isFullCap(charge)) return undefined;
      const name = `${charge.mode} ${charge.accountId}`;
      const recent = (times.get(name) ?? []).filter((atMs) => atMs > nowMs - FULL_CAP_WINDOW_MS);
      times.set(name, [...recent.slice(1 - MOST_COUNTED), nowMs]);
      return recent.length + 1 === burst ? burst : undefined;
    },
    most: (mode, nowMs) => recentOf(mode, nowMs).reduce((most, count) => Math.max(most, count), 0),
    all: (mode, nowMs) => recentOf(mode, nowMs).reduce((sum, count) => sum + count, 0),
  };
}

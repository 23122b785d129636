// What one process holds of each quota. A request takes from it synchronously:
// - A bucket with many requests is leased in chunks.
// - The first requests of a bucket, and those of a bucket with few, use this process's share of what is left of it (what
//   is left, divided by the number of live processes). They are charged to the bucket in the next round.
// - When the database does not answer, every bucket refills by this process's share of its quota, and the use is charged
//   when the database answers again.
import type { ChunkAsk, ChunkGrant, LeaseAnswer, Quota } from './quota.ts';

export type TakenQuota = {
  /** `ask`: only the next round can tell. The caller waits for it and takes again. */
  readonly outcome: 'taken' | 'refused' | 'ask';
  /** What the installation has left of the quota, as far as this process knows. */
  readonly remaining: number;
  /** Time until the refused request may fit. */
  readonly retryAfterMs: number;
};

export type ChunkHolder = {
  readonly take: (name: string, quota: Quota, cost: number, nowMs: number) => TakenQuota;
  /** Reports that `cost` no longer waits for a round. */
  readonly stopWaiting: (name: string, cost: number) => void;
  /** Begins a round: what to tell the database. Empty if there is nothing to tell. */
  readonly draft: (nowMs: number) => readonly ChunkAsk[];
  readonly apply: (asks: readonly ChunkAsk[], answer: Pick<LeaseAnswer, 'grants' | 'live'>, nowMs: number) => void;
  /** The round failed: what was used without a lease is charged in a later one. */
  readonly giveUp: (asks: readonly ChunkAsk[]) => void;
  /** True while the database does not answer. */
  readonly setLate: (late: boolean, nowMs: number) => void;
  /** True if a bucket in use runs low, or a request waits: the next round should not wait for its time. */
  readonly isUrgent: () => boolean;
  readonly liveProcesses: () => number;
  readonly names: () => number;
};

export type ChunkHolderOptions = {
  /** Beyond this the names used longest ago are forgotten: they are full again, or somebody floods with names. */
  readonly maxNames: number;
  /** Pause between two rounds. */
  readonly roundMs: number;
};

type Held = {
  quota: Quota;
  /** Leased and not used. */
  chunk: number;
  /** May be used before the next round without a lease. */
  allowance: number;
  allowanceAtMs: number;
  /** Used without a lease, and not told yet. */
  owed: number;
  /** Asked for since the last round, refused requests included. */
  demand: number;
  waiting: number;
  refusedUntilMs: number;
  /** When the bucket is full again, as the last round said. Undefined before the first one. */
  fullAtMs: number | undefined;
  /** Until then other processes may have used their shares of the bucket without having told so: nothing is leased. */
  leasedFromMs: number;
};

const SWEPT_PER_ROUND = 2_000;
/** More names than this are told in the next round, which then begins at once. */
const ASKS_PER_ROUND = 5_000;
const LONG_WINDOW_MS = 10_000;
/** A chunk is larger than the last round's use by this factor, so that steady use rarely runs dry. */
const AHEAD = 1.5;

/** Size of a chunk: a tenth to a quarter of the quota of a second, by recent use. Of a quota of a day, smaller parts. */
export function chunkSize({ size, windowMs }: Quota, demand: number): number {
  const [least, most] = windowMs > LONG_WINDOW_MS ? [size / 1_000, size / 10] : [size / 10, size / 4];
  return Math.max(1, Math.ceil(Math.min(Math.max(demand * AHEAD, least), most)));
}

export function createChunkHolder({ maxNames, roundMs }: ChunkHolderOptions): ChunkHolder {
  const all = new Map<string, Held>();
  /** Names that were used since the last round, or have something to tell. */
  const open = new Set<string>();
  let live = 1;
  let late = false;
  let urgent = false;

  const shareOf = (size: number) => (size <= 0 ? 0 : Math.max(1, Math.floor(size / live)));
  const leftAt = ({ quota, fullAtMs, owed, chunk }: Held, nowMs: number) => {
    const fullInMs = Math.max(0, (fullAtMs ?? nowMs) - nowMs);
    return quota.size * (1 - fullInMs / quota.windowMs) - owed + chunk;
  };

  /** Time until the bucket has room for `cost`, if nobody takes from it. */
  const fitsInMs = ({ quota, fullAtMs }: Held, cost: number, nowMs: number) =>
    (fullAtMs ?? nowMs) - nowMs - quota.windowMs + (cost * quota.windowMs) / quota.size;

  function heldOf(name: string, quota: Quota, nowMs: number): Held {
    const known = all.get(name);
    if (known !== undefined) {
      known.quota = quota;
      all.delete(name);
      all.set(name, known);
      return known;
    }
    const begun: Held = {
      quota,
      chunk: 0,
      allowance: shareOf(quota.size),
      allowanceAtMs: nowMs,
      owed: 0,
      demand: 0,
      waiting: 0,
      refusedUntilMs: 0,
      fullAtMs: undefined,
      leasedFromMs: Number.POSITIVE_INFINITY,
    };
    all.set(name, begun);
    if (all.size > maxNames) forget(all.keys().next().value ?? '');
    return begun;
  }

  function forget(name: string): void {
    all.delete(name);
    open.delete(name);
  }

  function refillAllowance(held: Held, nowMs: number): void {
    const share = shareOf(held.quota.size);
    const elapsedMs = Math.max(0, nowMs - held.allowanceAtMs);
    held.allowance = Math.min(share, held.allowance + (share * elapsedMs) / held.quota.windowMs);
    held.allowanceAtMs = nowMs;
  }

  function take(name: string, quota: Quota, cost: number, nowMs: number): TakenQuota {
    const held = heldOf(name, quota, nowMs);
    held.demand += cost;
    open.add(name);
    if (late) refillAllowance(held, nowMs);
    const taken = (): TakenQuota => {
      const left = late ? Math.min(leftAt(held, nowMs), held.chunk + held.allowance) : leftAt(held, nowMs);
      return { outcome: 'taken', remaining: Math.max(0, Math.floor(left + 0.001)), retryAfterMs: 0 };
    };
    if (held.chunk >= cost) {
      held.chunk -= cost;
      if (held.chunk < chunkSize(quota, 0) / 2 && nowMs >= held.refusedUntilMs) urgent = true;
      return taken();
    }
    // A thousandth of tolerance for rounding.
    if (held.allowance + 0.001 >= cost) {
      held.allowance -= cost;
      held.owed += cost;
      return taken();
    }
    const refused = (retryAfterMs: number): TakenQuota => ({ outcome: 'refused', remaining: 0, retryAfterMs });
    if (late) return refused(((cost - held.allowance) * quota.windowMs) / shareOf(quota.size));
    if (nowMs < held.refusedUntilMs) return refused(Math.max(held.refusedUntilMs - nowMs, fitsInMs(held, cost, nowMs)));
    if (held.waiting + cost > quota.size) return refused(roundMs);
    held.waiting += cost;
    // The first round of a bucket tells the others; the next one, at its time, can lease.
    if (held.fullAtMs === undefined || nowMs >= held.leasedFromMs) urgent = true;
    return { outcome: 'ask', remaining: 0, retryAfterMs: roundMs };
  }

  function draft(nowMs: number): readonly ChunkAsk[] {
    urgent = false;
    sweep(nowMs);
    const asks: ChunkAsk[] = [];
    for (const name of open) {
      if (asks.length === ASKS_PER_ROUND) break;
      open.delete(name);
      const held = all.get(name);
      if (held === undefined) continue;
      const { quota, demand, waiting } = held;
      const size = chunkSize(quota, demand);
      const isHot = waiting > 0 || held.chunk > 0 || held.allowance < size;
      const returned = demand + waiting === 0 ? held.chunk : 0;
      held.chunk -= returned;
      const isLeased = isHot && demand + waiting > 0 && (live === 1 || nowMs >= held.leasedFromMs);
      const wanted = isLeased ? Math.max(0, Math.min(quota.size, size + waiting) - held.chunk) : 0;
      asks.push({ name, quota, charge: held.owed - returned, wanted });
      held.owed = 0;
      held.demand = 0;
    }
    if (open.size > 0) urgent = true;
    return asks;
  }

  /** Forgets names that are not in use and full again, beginning with the one used longest ago. */
  function sweep(nowMs: number): void {
    let seen = 0;
    for (const [name, held] of all) {
      seen += 1;
      if (seen > SWEPT_PER_ROUND) return;
      const isIdle = held.demand === 0 && held.chunk === 0 && held.waiting === 0 && held.owed === 0;
      if (isIdle && (held.fullAtMs ?? 0) <= nowMs) forget(name);
    }
  }

  function apply(asks: readonly ChunkAsk[], answer: Pick<LeaseAnswer, 'grants' | 'live'>, nowMs: number): void {
    live = Math.max(1, answer.live);
    const grants = new Map(answer.grants.map((grant) => [grant.name, grant]));
    for (const ask of asks) {
      const held = all.get(ask.name);
      const grant = grants.get(ask.name);
      if (held !== undefined && grant !== undefined) applyOne(held, ask, grant, nowMs);
    }
  }

  function applyOne(held: Held, { name, quota, wanted }: ChunkAsk, { granted, fullInMs }: ChunkGrant, nowMs: number) {
    const left = quota.size * (1 - fullInMs / quota.windowMs);
    if (held.fullAtMs === undefined) held.leasedFromMs = nowMs + roundMs;
    const isEarly = live > 1 && nowMs < held.leasedFromMs;
    held.chunk += granted;
    held.fullAtMs = nowMs + fullInMs;
    // A bucket that is leased has its chunk; of another one this process may use its share of what is left.
    const share = wanted > 0 || left < 1 ? 0 : Math.max(0, shareOf(left) - held.owed);
    held.allowance = isEarly ? Math.min(held.allowance, share) : share;
    held.allowanceAtMs = nowMs;
    // Requests that wait are told to the next round.
    if (held.waiting > 0) open.add(name);
    if (granted < wanted || (wanted === 0 && left < 1)) {
      held.refusedUntilMs = nowMs + Math.max(roundMs, fitsInMs(held, 1, nowMs));
    } else held.refusedUntilMs = 0;
    // An unused chunk is returned in the next round.
    if (held.chunk > 0) open.add(name);
  }

  return {
    take,
    stopWaiting(name, cost) {
      const held = all.get(name);
      if (held !== undefined) held.waiting = Math.max(0, held.waiting - cost);
    },
    draft,
    apply,
    giveUp(asks) {
      for (const { name, charge } of asks) {
        const held = all.get(name);
        if (held === undefined || charge <= 0) continue;
        held.owed += charge;
        open.add(name);
      }
    },
    setLate(isLate, nowMs) {
      if (late === isLate) return;
      late = isLate;
      // Nobody saves up an allowance before the database is late.
      for (const held of all.values()) held.allowanceAtMs = nowMs;
    },
    isUrgent: () => urgent,
    liveProcesses: () => live,
    names: () => all.size,
  };
}

// Leases quota from the database in rounds: every quarter of a second for all buckets in use, and at once when a bucket runs
// dry. One statement is under way at a time. Requests take from what the process holds and ask no database.
//
// A round that does not answer soon makes the leases late: requests are then judged by this process's share of each quota,
// until a round answers again.
import {
  type ChunkHolder,
  createChunkHolder,
  type LeaseAnswer,
  type LeaseRound,
  PROCESS_LIFE_MS,
  type QuotaBucket,
  type QuotaStore,
  type TakenQuota,
} from '@svc-pay/core';

/** Streams of this process, which are counted over all processes. */
export type SharedStreams = {
  readonly draft: () => DraftedStreams;
  readonly apply: (drafted: DraftedStreams, answer: Pick<LeaseAnswer, 'elsewhere' | 'live'>) => void;
  /** The round failed. */
  readonly giveUp: (drafted: DraftedStreams) => void;
};

type DraftedStreams = Pick<LeaseRound, 'streams' | 'watched'>;

export type QuotaRoundOptions = {
  readonly store: QuotaStore;
  readonly streams: SharedStreams;
  readonly nowMs: () => number;
  /** Called when leases are late for a while, with the problem if the database gave one, and when they are on time again. */
  readonly onLate: (problem: unknown) => void;
  readonly onTime: () => void;
  readonly onProblem: (problem: unknown) => void;
  readonly lateMs?: number;
  /** Leases that are late for less than this are not reported. */
  readonly reportAfterMs?: number;
};

export type QuotaRounds = {
  readonly take: (bucket: QuotaBucket, cost: number) => TakenQuota | Promise<TakenQuota>;
  /** The first round, so that the first request knows how many processes share the quotas. */
  readonly start: () => Promise<void>;
  /** The process no longer counts as alive. What it holds is lost, as if it were killed. */
  readonly stop: () => Promise<void>;
  readonly isLate: () => boolean;
  readonly names: () => number;
  readonly liveProcesses: () => number;
};

export const ROUND_MS = 250;
const MAX_NAMES = 100_000;
const LATE_MS = 500;
/** Pause between two rounds when a bucket runs dry. */
const SOON_MS = 20;
/** A process with nothing to say says that it is alive, well before others take it for gone. */
const ALIVE_MS = PROCESS_LIFE_MS / 2;
const EXPIRE_MS = 10_000;
/** While the process leases nothing. */
const CALM_EXPIRE_MS = 60_000;
const REPORT_AFTER_MS = 1_000;

export function createQuotaRounds(options: QuotaRoundOptions): QuotaRounds {
  const { store, streams, nowMs, lateMs = LATE_MS, reportAfterMs = REPORT_AFTER_MS } = options;
  const holder: ChunkHolder = createChunkHolder({ maxNames: MAX_NAMES, roundMs: ROUND_MS });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let next = Promise.withResolvers<void>();
  let late = false;
  let reported = false;
  let reportTimer: NodeJS.Timeout | undefined;
  let stopped = false;
  let endedAt = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  let expiredAt = performance.now();
  let leased = false;

  function wake(): void {
    const { resolve } = next;
    next = Promise.withResolvers<void>();
    resolve();
  }

  function setLate(isLate: boolean, problem?: unknown): void {
    if (late === isLate) return;
    late = isLate;
    holder.setLate(isLate, nowMs());
    clearTimeout(reportTimer);
    if (isLate) reportTimer = setTimeout(report, reportAfterMs, problem).unref();
    else if (reported) {
      reported = false;
      options.onTime();
    }
  }

  function report(problem: unknown): void {
    reported = true;
    options.onLate(problem);
  }

  async function lease(): Promise<void> {
    const asks = holder.draft(nowMs());
    const told = streams.draft();
    const isQuiet = asks.length === 0 && told.streams.length === 0 && told.watched.length === 0;
    if (isQuiet && performance.now() - saidAt < ALIVE_MS) return;
    const lateTimer = setTimeout(() => {
      setLate(true);
      wake();
    }, lateMs);
    try {
      const answer = await store.lease({ asks, ...told });
      saidAt = performance.now();
      leased ||= !isQuiet;
      holder.apply(asks, answer, nowMs());
      streams.apply(told, answer);
      setLate(false);
    } catch (problem) {
      holder.giveUp(asks);
      streams.giveUp(told);
      setLate(true, problem);
    } finally {
      clearTimeout(lateTimer);
      endedAt = performance.now();
    }
  }

  async function round(): Promise<void> {
    await lease();
    wake();
    if (late || performance.now() - expiredAt < (leased ? EXPIRE_MS : CALM_EXPIRE_MS)) return;
    expiredAt = performance.now();
    leased = false;
    await store.expire().catch(options.onProblem);
  }

  function schedule(inMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(run, inMs).unref();
  }

  function run(): void {
    if (stopped || running !== undefined) return;
    running = round().finally(() => {
      running = undefined;
      if (!stopped) schedule(holder.isUrgent() ? SOON_MS : ROUND_MS);
    });
  }

  function hurry(): void {
    if (running === undefined && !stopped) schedule(Math.max(0, SOON_MS - (performance.now() - endedAt)));
  }

  async function waitForRound({ name, quota }: QuotaBucket, cost: number): Promise<TakenQuota> {
    const until = performance.now() + lateMs + 2 * ROUND_MS;
    for (;;) {
      await next.promise;
      holder.stopWaiting(name, cost);
      const taken = holder.take(name, quota, cost, nowMs());
      if (taken.outcome !== 'ask') return taken;
      if (stopped || performance.now() > until) {
        holder.stopWaiting(name, cost);
        return { ...taken, outcome: 'refused' };
      }
      if (holder.isUrgent()) hurry();
    }
  }

  return {
    take(bucket, cost) {
      const wasUrgent = holder.isUrgent();
      const taken = holder.take(bucket.name, bucket.quota, cost, nowMs());
      if (!wasUrgent && holder.isUrgent()) hurry();
      return taken.outcome === 'ask' ? waitForRound(bucket, cost) : taken;
    },
    async start() {
      run();
      await Promise.race([running, next.promise]);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(reportTimer);
      await running?.catch(() => {});
      holder.setLate(true, nowMs());
      wake();
      await store.leave().catch(options.onProblem);
    },
    isLate: () => late,
    names: holder.names,
    liveProcesses: holder.liveProcesses,
  };
}

// Buckets in memory, shared by any number of processes: for tests of what the processes do with their leases.
import { grantChunk } from '../quota/grant-chunk.ts';
import { type LeaseAnswer, type LeaseRound, PROCESS_LIFE_MS, type QuotaStore } from '../quota/quota.ts';

export type MemoryQuotas = { readonly open: (process: string) => QuotaStore };

export function createMemoryQuotas(nowMs: () => number): MemoryQuotas {
  const fullAtMs = new Map<string, number>();
  const seenAtMs = new Map<string, number>();
  const streams = new Map<string, Map<string, number>>();
  const isLive = (process: string) => (seenAtMs.get(process) ?? Number.NEGATIVE_INFINITY) > nowMs() - PROCESS_LIFE_MS;

  function lease(process: string, round: LeaseRound): LeaseAnswer {
    const now = nowMs();
    seenAtMs.set(process, now);
    const grants = round.asks.map((ask) => {
      const grant = grantChunk((fullAtMs.get(ask.name) ?? now) - now, ask);
      fullAtMs.set(ask.name, now + grant.fullInMs);
      return grant;
    });
    for (const { name, open } of round.streams) {
      const counts = streams.get(name) ?? new Map<string, number>();
      counts.set(process, open);
      streams.set(name, counts);
    }
    const others = (name: string) =>
      [...(streams.get(name) ?? [])].filter(([other]) => other !== process && isLive(other));
    const elsewhere = round.watched.map(
      (name) => [name, others(name).reduce((sum, [, open]) => sum + open, 0)] as const,
    );
    return { grants, live: [...seenAtMs.keys()].filter(isLive).length, elsewhere: new Map(elsewhere) };
  }

  return {
    open: (process) => ({
      lease: async (round) => lease(process, round),
      expire: async () => {},
      leave: async () => {
        seenAtMs.delete(process);
      },
    }),
  };
}

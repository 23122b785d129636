// Whether finality keeps up: payments that are settled and not yet recorded as final, looked at once a second.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SolanaBenchWorld } from './solana-world.ts';

export type FinalityLook = {
  readonly atSeconds: number;
  /** Settled, and not recorded as final. */
  readonly waiting: number;
  /** Of them those that the chain calls final: the backlog. */
  readonly overdue: number;
};

export type FinalityWatch = {
  /** Ends when nothing waits any more, or patience is over. Seconds since it was called, NaN when something still waits. */
  readonly untilFinal: (patienceMs: number) => Promise<number>;
  readonly looks: readonly FinalityLook[];
};

const LOOK_MS = 1_000;

export function watchFinality(world: SolanaBenchWorld): FinalityWatch {
  const beganMs = performance.now();
  const looks: FinalityLook[] = [];
  const loadEnded = new AbortController();
  const lookOnce = async () => {
    const seen = { atSeconds: Math.round((performance.now() - beganMs) / 1_000), ...(await look(world)) };
    looks.push(seen);
    return seen;
  };
  const watch = async () => {
    while (!loadEnded.signal.aborted) {
      await lookOnce();
      await sleep(LOOK_MS);
    }
  };
  const watched = watch();
  return {
    looks,
    untilFinal: async (patienceMs) => {
      const startMs = performance.now();
      loadEnded.abort();
      await watched;
      while ((await lookOnce()).waiting > 0) {
        if (performance.now() - startMs > patienceMs) return Number.NaN;
        await sleep(LOOK_MS);
      }
      return (performance.now() - startMs) / 1_000;
    },
  };
}

async function look({ pool, node }: SolanaBenchWorld): Promise<Omit<FinalityLook, 'atSeconds'>> {
  const final = await node.slot('finalized');
  const { rows } = await pool.query<{ waiting: number; overdue: number }>(
    `select coalesce(sum(item_count), 0)::integer as waiting,
       coalesce(sum(item_count) filter (where block_number <= $1), 0)::integer as overdue
     from svc.batches where status in ('signed', 'broadcast', 'mined')`,
    [final.toString()],
  );
  return rows[0] ?? { waiting: 0, overdue: 0 };
}

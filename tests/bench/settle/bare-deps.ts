// What the engine and the database do by themselves: an empty durable handler, and commits of a single row.
import { serveEngineWork } from '@svc-pay/engine';
import pg from 'pg';
import { Pool } from 'undici';
import { closedLoop } from './closed-loop.ts';
import { middleRate } from './middle-rate.ts';
import type { SettleWorld } from './settle-world.ts';

const AT_ONCE = 64;
const MOST = 1_000_000;
const works = Array.from({ length: MOST }, (_, index) => index);

/** Invocations a second of a handler that does nothing but one durable step. */
export async function measureEngine({ engine }: SettleWorld, forMs: number): Promise<number> {
  const work = await serveEngineWork({
    drains: [{ name: 'nothing', fence: async () => '', step: async () => 'idle' }],
    jobs: [],
    host: '127.0.0.1',
    port: 0,
    identityKeys: [],
    adminUrls: [engine.adminUrl],
    ingressUrls: [engine.ingressUrl],
    log: () => {},
  });
  const pool = new Pool(engine.ingressUrl, { connections: AT_ONCE, pipelining: 1 });
  try {
    await work.register();
    const finished = await closedLoop(works, AT_ONCE, forMs, async (key) => {
      const response = await pool.request({ method: 'POST', path: `/nothing/${key}/drain` });
      await response.body.dump();
      if (response.statusCode >= 300) throw new Error(`the engine answered ${response.statusCode}`);
    });
    return middleRate(finished.map(({ endMs }) => endMs));
  } finally {
    await pool.close();
    await work.stop();
  }
}

export async function measureCommits({ pool: shared }: SettleWorld, forMs: number): Promise<number> {
  const pool = new pg.Pool({ ...shared.options, max: AT_ONCE / 2 });
  try {
    await pool.query('create table bare_commits (id bigserial primary key, body text not null)');
    const finished = await closedLoop(works, AT_ONCE, forMs, () =>
      pool.query({ name: 'bare', text: 'insert into bare_commits (body) values ($1)', values: ['one row'] }),
    );
    return middleRate(finished.map(({ endMs }) => endMs));
  } finally {
    await pool.query('drop table if exists bare_commits');
    await pool.end();
  }
}

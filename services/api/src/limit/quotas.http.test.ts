// Three API processes over one database: one quota.
import { chunkSize } from '@svc-pay/core';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { ENDPOINTS, intentPath } from '../testing/call.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { startApiProcess } from '../testing/start-api-process.ts';
import { testEnvironment } from '../testing/start-test-api.ts';

const PER_SECOND = 30;
const FLOOD_MS = 2_000;
const SENDERS = 6;
/** A machine without time for the processes serves less than the quota. It never serves more. */
const TRIES = 4;
const LONG = { timeout: 90_000 };

const DAY = { size: 600_000, windowMs: 86_400_000 };
const BODY_BYTES = 1_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('three processes count together, and one that is killed takes at most its chunk with it', LONG, async () => {
  const database = await createTestDatabase();
  const { keys } = await seedAccount(database.pool);
  const environment = {
    ...testEnvironment(database.url),
    SVC_API_RATE_LIMITS: 'on',
    SVC_API_RATE_TEST: String(PER_SECOND),
    SVC_API_RATE_LIVE: '10000',
    SVC_API_STORED_BYTES_PER_DAY: String(DAY.size),
    SVC_API_CACHE_MS: '1000',
  };
  const processes = await Promise.all([1, 2, 3].map(() => startApiProcess(environment)));
  const urls = processes.map(({ url }) => url);

  /** Floods all processes with reads. Returns what was served, as a part of what the quota allows in that time. */
  const floodReads = async () => {
    const startMs = performance.now();
    let served = 0;
    const send = async (url: string) => {
      while (performance.now() - startMs < FLOOD_MS) {
        const headers = { authorization: `Bearer ${keys.test.secret}` };
        const answer = await fetch(`${url}${intentPath('pi_x')}`, { headers });
        await answer.arrayBuffer();
        const limit = answer.headers.get('ratelimit-policy');
        if (limit !== `"key";q=${PER_SECOND};w=1`) throw new Error(`the quota is said to be ${limit}`);
        if (answer.status !== 429) served += 1;
        await pause(5);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, (_, index) => send(urls[index % urls.length] ?? '')));
    // A second's quota at once, and then a quota in every second.
    return served / (PER_SECOND * ((performance.now() - startMs) / 1_000 + 1));
  };

  let parts: readonly number[] = [];
  while (parts.length < TRIES && parts.every((part) => part <= 0.9)) {
    // The bucket is full again.
    if (parts.length > 0) await pause(1_200);
    parts = [...parts, await floodReads()];
  }
  expect(Math.max(...parts)).toBeGreaterThan(0.9);
  expect(Math.max(...parts)).toBeLessThan(1.1);

  // A quota of a day refills by nothing meanwhile: what a killed process held is missing at the end.
  let served = 0;
  let unanswered = 0;
  const body = JSON.stringify({ note: 'x'.repeat(BODY_BYTES - '{"note":""}'.length) });
  const store = async (url: string): Promise<number | undefined> => {
    const headers = { authorization: `Bearer ${keys.live.secret}`, 'content-type': 'application/json' };
    try {
      const answer = await fetch(`${url}${ENDPOINTS}`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      if (answer.status !== 429) served += 1;
      return answer.status;
    } catch {
      unanswered += 1;
      return undefined;
    }
  };
  /** Until the process refuses for some rounds, or is gone. */
  const storeAll = async (url: string, everyMs: number) => {
    for (let refused = 0; refused < 3; ) {
      const status = await store(url);
      if (status === undefined) return;
      refused = status === 429 ? refused + 1 : 0;
      await pause(refused > 0 ? 300 : everyMs);
    }
  };
  const [killed = '', ...others] = urls;
  const before = Promise.all(Array.from({ length: SENDERS }, () => storeAll(killed, 5)));
  // So little is left that it is leased in chunks.
  await expect.poll(() => served * BODY_BYTES, { interval: 5, timeout: 60_000 }).toBeGreaterThan(0.8 * DAY.size);
  await processes[0]?.kill('SIGKILL');
  await before;
  const chunk = chunkSize(DAY, DAY.size);
  const { rows } = await database.pool.query<{ used: number }>(
    `select size * (full_at - extract(epoch from clock_timestamp()) * 1000)::float8 / window_ms as used
     from svc.quota_buckets where name like 'account/stored_bytes/%/live/secret'`,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.used).toBeLessThanOrEqual((served + unanswered) * BODY_BYTES + chunk);
  // Slowly: what is left lasts longer than the first round, in which a process learns what others have used.
  await Promise.all([...others, ...others].map((url) => storeAll(url, 20)));
  const answered = (served + unanswered) * BODY_BYTES;
  // A live process may end with less than a body.
  expect(answered).toBeGreaterThanOrEqual(DAY.size - chunk - 2 * BODY_BYTES);
  expect(served * BODY_BYTES).toBeLessThan(1.1 * DAY.size);
  expect(unanswered).toBeLessThanOrEqual(SENDERS);
});

// The reference: the same client library with nothing around it. No queue, no signature, no record.
import { Pool } from 'undici';

/** Requests a second over `count` requests. */
export async function sendBare(port: number, count: number, concurrency: number, body: Buffer): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: concurrency, pipelining: 1 });
  let left = count;
  const startMs = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const response = await pool.request({
        method: 'POST',
        path: '/ok',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await response.body.dump();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const perSecond = count / ((performance.now() - startMs) / 1_000);
  await pool.close();
  return perSecond;
}

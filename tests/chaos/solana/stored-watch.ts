// Whether what is sent is stored, by a look at the database between the relayer and the chain.
import type pg from 'pg';
import type { History } from '../harness/history.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PATIENCE_MS = 30_000;

/** Notes what is not, and what could not be found out. A database that is down is waited for. */
export function createStoredWatch(pool: pg.Pool, history: History): (wireBase64: string) => Promise<void> {
  const stored = new Set<string>();
  return async (wireBase64) => {
    if (stored.has(wireBase64)) return;
    let found: boolean | undefined;
    await waitUntil(async () => {
      const { rows } = await pool.query<{ found: boolean }>(
        `select exists (select from svc.batch_transactions where raw_transaction = decode($1, 'base64')) as found`,
        [wireBase64],
      );
      found = rows[0]?.found === true;
      return true;
    }, PATIENCE_MS);
    if (found === true) stored.add(wireBase64);
    else history.note('sent unstored', { wire: wireBase64, found: found ?? null });
  };
}

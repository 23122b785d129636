// Intent codes that were handed out after the backup are on chain or may still get there. None may be handed out again.

import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

/** Audit records that belong to no single account are written under this one. */
const PLATFORM = 'platform';
const COUNT_BITS = 33n;
const MOST_TRIES = 100;

/**
 * Draws and returns a prefix that no intent code of the database has, and none of `usedCodes`.
 * Every call draws a new prefix, because the database may have been restored again since the last call.
 */
export async function skipUsedIntentCodes(
  { pool, nowMs, actor }: Operation,
  usedCodes: readonly bigint[],
): Promise<number> {
  const used = new Set(usedCodes.map((code) => code >> COUNT_BITS));
  return inTransaction(pool, async (client) => {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const { rows } = await client.query<{ epoch: number; taken: boolean }>(
        `with drawn as materialized (select svc.skip_used_intent_codes() as epoch)
         select epoch, exists (
           select from svc.intent_codes
           where intent_code between epoch::bigint << 33 and ((epoch::bigint + 1) << 33) - 1
         ) as taken
         from drawn`,
      );
      const [row] = rows;
      if (row === undefined || row.taken || used.has(BigInt(row.epoch))) continue;
      const detail = { epoch: row.epoch };
      await writeAudit(client, nowMs, {
        accountId: PLATFORM,
        mode: 'live',
        actor,
        action: 'codes.epoch_begun',
        target: 'intent codes',
        detail,
      });
      return row.epoch;
    }
    throw new Error('no unused prefix of intent codes was drawn: run the restore again');
  });
}

// Codes that were given out after the backup are on chain, or may come there: none of them may be given out again.
import { inTransaction } from '../../stores/in-transaction.ts';
import { writeAudit } from '../../stores/write-audit.ts';
import type { Operation } from '../operation.ts';

/** Deeds that concern no account alone are recorded under this one. */
const PLATFORM = 'platform';
const COUNT_BITS = 33n;
const MOST_TRIES = 100;

/**
 * Draws an epoch that no code of the database is of, and none of `usedCodes`. Returns it. Every call draws: nobody can tell
 * whether the database was restored once more in between.
 */
export async function beginCodeEpoch({ pool, nowMs, actor }: Operation, usedCodes: readonly bigint[]): Promise<number> {
  const used = new Set(usedCodes.map((code) => code >> COUNT_BITS));
  return inTransaction(pool, async (client) => {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const { rows } = await client.query<{ epoch: number; taken: boolean }>(
        `with drawn as materialized (select svc.begin_intent_code_epoch() as epoch)
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
    throw new Error('no epoch of intent codes is free');
  });
}

// Intent codes that were handed out after the backup are on chain or may still get there. None may be handed out again.
import { codesOfPrefix, isUnusedPrefix } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

const MOST_TRIES = 100;

/**
 * Draws and returns a prefix that no intent code of the database has, and none of `usedCodes`.
 * Every call draws a new prefix, because the database may have been restored again since the last call. For the same
 * reason the ledger's positions begin anew, above all that exports have handed out.
 */
export async function skipUsedIntentCodes(
  { pool, nowMs, actor }: Operation,
  usedCodes: readonly bigint[],
): Promise<number> {
  return inTransaction(pool, async (client) => {
    await client.query('select svc.restart_ledger_order(true)');
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const { rows } = await client.query<{ prefix: number }>('select svc.skip_used_intent_codes() as prefix');
      const [row] = rows;
      if (row === undefined) throw new Error('no prefix of intent codes was drawn');
      if (!isUnusedPrefix(row.prefix, usedCodes) || (await isTaken(client, row.prefix))) continue;
      const detail = { epoch: row.prefix };
      await writeAudit(client, nowMs, {
        accountId: PLATFORM,
        mode: 'live',
        actor,
        action: 'codes.epoch_begun',
        target: 'intent codes',
        detail,
      });
      return row.prefix;
    }
    throw new Error('no unused prefix of intent codes was drawn: run the restore again');
  });
}

async function isTaken(client: pg.ClientBase, prefix: number): Promise<boolean> {
  const { first, last } = codesOfPrefix(prefix);
  const { rowCount } = await client.query('select from svc.intent_codes where intent_code between $1 and $2 limit 1', [
    first.toString(),
    last.toString(),
  ]);
  return rowCount === 1;
}

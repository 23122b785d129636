import type { Mode } from '@svc-pay/core';
import { type UsdMicros, usdMicros } from '@svc-pay/money';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { lockAccountMode } from './lock-account-mode.ts';

/** `minimumUsdMicros`: null means that the minimum of each network applies. */
export type AccountLimits = { readonly mode: Mode; readonly minimumUsdMicros: UsdMicros | null };

type Row = { readonly mode: Mode; readonly minimum_usd_micros: string | null };

/** One entry per mode; empty for an account that does not exist. */
export async function readAccountLimits(pool: pg.Pool, accountId: string): Promise<readonly AccountLimits[]> {
  const { rows } = await pool.query<Row>(
    'select mode, minimum_usd_micros from svc.account_modes where account_id = $1 order by mode desc',
    [accountId],
  );
  return rows.map(({ mode, minimum_usd_micros: micros }) => ({
    mode,
    minimumUsdMicros: micros === null ? null : usdMicros(BigInt(micros)),
  }));
}

/** False when there is no such open account. Applies to new intents; stored acceptances keep their minimum. */
export async function setAccountLimits(
  { pool, nowMs, actor }: Operation,
  accountId: string,
  { mode, minimumUsdMicros }: AccountLimits,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    if (!(await lockAccountMode(client, accountId, mode))) return false;
    await client.query('update svc.account_modes set minimum_usd_micros = $3 where account_id = $1 and mode = $2', [
      accountId,
      mode,
      minimumUsdMicros?.toString() ?? null,
    ]);
    const detail = { minimumUsdMicros: minimumUsdMicros?.toString() ?? null };
    await writeAudit(client, nowMs, {
      accountId,
      mode,
      actor,
      action: 'account.limits_set',
      target: accountId,
      detail,
    });
    return true;
  });
}

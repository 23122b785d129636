import type { Mode } from '@svc-pay/core';
import { type UsdMicros, usdMicros } from '@svc-pay/money';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { lockAccountMode } from './lock-account-mode.ts';

export type AccountLimits = {
  readonly mode: Mode;
  /** Null: the minimum of each network applies. */
  readonly minimumUsdMicros: UsdMicros | null;
  /** Requests per second of each key and class. Null: the quota of the installation applies. */
  readonly ratePerSecond: number | null;
};

/** Limits that are left out stay as they are. */
export type AccountLimitsChange = Pick<AccountLimits, 'mode'> & Partial<AccountLimits>;

type Row = {
  readonly mode: Mode;
  readonly minimum_usd_micros: string | null;
  readonly rate_limit_per_second: number | null;
};

/** One entry per mode; empty for an account that does not exist. */
export async function readAccountLimits(pool: pg.Pool, accountId: string): Promise<readonly AccountLimits[]> {
  const { rows } = await pool.query<Row>(
    `select mode, minimum_usd_micros, rate_limit_per_second from svc.account_modes
     where account_id = $1 order by mode desc`,
    [accountId],
  );
  return rows.map(({ mode, minimum_usd_micros: micros, rate_limit_per_second: ratePerSecond }) => ({
    mode,
    minimumUsdMicros: micros === null ? null : usdMicros(BigInt(micros)),
    ratePerSecond,
  }));
}

/**
 * False when there is no such open account. A minimum applies to new intents; stored acceptances keep theirs. A rate
 * applies as soon as the processes read the key again.
 */
export async function setAccountLimits(
  { pool, nowMs, actor }: Operation,
  accountId: string,
  { mode, minimumUsdMicros, ratePerSecond }: AccountLimitsChange,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    if (!(await lockAccountMode(client, accountId, mode))) return false;
    const setOne = (column: 'minimum_usd_micros' | 'rate_limit_per_second', value: string | number | null) =>
      client.query(`update svc.account_modes set ${column} = $3 where account_id = $1 and mode = $2`, [
        accountId,
        mode,
        value,
      ]);
    const detail: Record<string, string | number | null> = {};
    if (minimumUsdMicros !== undefined) {
      detail['minimumUsdMicros'] = minimumUsdMicros?.toString() ?? null;
      await setOne('minimum_usd_micros', detail['minimumUsdMicros']);
    }
    if (ratePerSecond !== undefined) {
      detail['ratePerSecond'] = ratePerSecond;
      await setOne('rate_limit_per_second', ratePerSecond);
    }
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

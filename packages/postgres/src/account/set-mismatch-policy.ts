// Reads and sets what an account wants done with another amount than asked.
import type { MismatchPolicy, Mode } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { inOperation } from '../audit/standing.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { lockAccountMode } from './lock-account-mode.ts';
import { POLICY_COLUMNS, type PolicyRow, policyOf } from './mismatch-policy.ts';

export type AccountPolicy = MismatchPolicy & { readonly mode: Mode };

/** One entry per mode; empty for an account that does not exist. */
export async function readMismatchPolicies(
  client: pg.Pool | pg.ClientBase,
  accountId: string,
): Promise<readonly AccountPolicy[]> {
  const { rows } = await client.query<PolicyRow & { readonly mode: Mode }>(
    `select mode, ${POLICY_COLUMNS} from svc.account_modes where account_id = $1 order by mode desc`,
    [accountId],
  );
  return rows.map((row) => ({ mode: row.mode, ...policyOf(row) }));
}

/**
 * Changes what is given; the rest stays. Undefined when there is no such open account. Money that is found later is judged by
 * it, also where its intent is older.
 */
export async function setMismatchPolicy(
  operation: Operation,
  accountId: string,
  mode: Mode,
  change: Partial<MismatchPolicy>,
): Promise<AccountPolicy | undefined> {
  const { nowMs, actor } = operation;
  return inOperation(operation, async (client) => {
    if (!(await lockAccountMode(client, accountId, mode))) return undefined;
    const before = (await readMismatchPolicies(client, accountId)).find((policy) => policy.mode === mode);
    if (before === undefined) return undefined;
    const after = { ...before, ...change };
    const toleranceUsdMicros = after.toleranceUsdMicros.toString();
    const { toleranceBps, over, under } = after;
    await client.query(
      `update svc.account_modes
       set mismatch_tolerance_usd_micros = $3, mismatch_tolerance_bps = $4, mismatch_over = $5, mismatch_under = $6
       where account_id = $1 and mode = $2`,
      [accountId, mode, toleranceUsdMicros, toleranceBps, over, under],
    );
    const entry = { accountId, mode, actor, action: 'account.mismatch_set', target: accountId };
    await writeAudit(client, nowMs, { ...entry, detail: { toleranceUsdMicros, toleranceBps, over, under } });
    return after;
  });
}

// What an account wants done with another amount than asked.
import type { MismatchHandling, MismatchPolicy, Mode } from '@svc-pay/core';
import { basisPoints, usdMicros } from '@svc-pay/money';
import type pg from 'pg';

export type PolicyRow = {
  readonly mismatch_tolerance_usd_micros: string;
  readonly mismatch_tolerance_bps: number;
  readonly mismatch_over: MismatchHandling;
  readonly mismatch_under: MismatchHandling;
};

export const POLICY_COLUMNS =
  'mismatch_tolerance_usd_micros, mismatch_tolerance_bps, mismatch_over, mismatch_under' as const;

export function policyOf(row: PolicyRow): MismatchPolicy {
  return {
    toleranceUsdMicros: usdMicros(BigInt(row.mismatch_tolerance_usd_micros)),
    toleranceBps: basisPoints(row.mismatch_tolerance_bps),
    over: row.mismatch_over,
    under: row.mismatch_under,
  };
}

export async function loadMismatchPolicy(
  client: pg.ClientBase,
  { accountId, mode }: { readonly accountId: string; readonly mode: Mode },
): Promise<MismatchPolicy> {
  const { rows } = await client.query<PolicyRow>({
    name: 'load-mismatch-policy',
    text: `select ${POLICY_COLUMNS} from svc.account_modes where account_id = $1 and mode = $2`,
    values: [accountId, mode],
  });
  if (rows[0] === undefined) throw new Error(`account ${accountId} has no mode ${mode}`);
  return policyOf(rows[0]);
}

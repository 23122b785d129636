// Applies logs as the reader's runs do, and what holds afterwards.
import type { AppliedLog, FinalLog, MoneyLog } from '@svc-pay/core';
import { finalOf } from '@svc-pay/core/testing/contracts';
import { expect } from 'vitest';
import type { PostgresApplyHarness } from './apply-harness.ts';

/** Applies a log again and again, as the reader's runs do, until it does not wait. */
export async function applyLog({ apply, network, nowMs }: PostgresApplyHarness, final: FinalLog): Promise<AppliedLog> {
  for (let tries = 0; tries < 200; tries += 1) {
    const applied = await apply.applyLog(network, final, nowMs());
    if (applied.outcome !== 'waits') return applied;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { outcome: 'waits', reason: 'lane' };
}

export async function read(
  harness: PostgresApplyHarness,
  log: MoneyLog,
  change: Partial<FinalLog> = {},
): Promise<FinalLog> {
  await harness.putLog(log);
  return finalOf(harness, log, change);
}

/** No intent has two completed payments, every completed one is booked once, and every log proves one thing. */
export async function expectSound({ pool }: PostgresApplyHarness): Promise<void> {
  const { rows } = await pool.query(`
    select intent_id from svc.payments where status = 'completed' group by intent_id having count(*) > 1
    union all
    select p.id from svc.payments p where p.status in ('completed', 'mismatched') and 2 <> (
      select count(*) from svc.ledger_entries e
      where e.payment_id = p.id and e.account_name in ('payer', 'merchant') and e.reverses is null
    )
    union all
    select p.id from svc.payments p where p.status in ('completed', 'mismatched') and 1 <> (
      select count(*) from svc.log_proofs proof where proof.payment_id = p.id
    )`);
  expect(rows).toEqual([]);
}

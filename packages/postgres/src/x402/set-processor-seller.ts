import { isoTime, type Mode } from '@svc-pay/core';
import { lockAccountMode } from '../account/lock-account-mode.ts';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

/** Whether x402 sellers of the account may be paid through the processor. False when there is no such open account. */
export async function setProcessorSeller(
  { pool, nowMs, actor }: Operation,
  accountId: string,
  mode: Mode,
  takesProcessor: boolean,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    if (!(await lockAccountMode(client, accountId, mode))) return false;
    const text = takesProcessor
      ? `insert into svc.x402_processor_sellers (account_id, mode, created_at) values ($1, $2, $3) on conflict do nothing`
      : 'delete from svc.x402_processor_sellers where account_id = $1 and mode = $2';
    await client.query(text, takesProcessor ? [accountId, mode, isoTime(nowMs)] : [accountId, mode]);
    const detail = { takesProcessor };
    await writeAudit(client, nowMs, {
      accountId,
      mode,
      actor,
      action: 'account.seller_set',
      target: accountId,
      detail,
    });
    return true;
  });
}

import {
  ACCOUNT_STATUS,
  ACCOUNT_TRANSITIONS,
  type AccountStatus,
  type AwayCode,
  INTENT_STATUS,
  judgeClosing,
  MODES,
  PAYMENT_STATUS,
} from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs, sqlStep } from '../database/status-sql.ts';

/** Work of an account that has not ended. */
type OpenWork = {
  /** Payments without a result. */
  readonly processing: number;
  /** Confirmed up-to payments that can still be charged. */
  readonly openCaps: number;
};

export type ClosedAccount =
  | { readonly ok: true; readonly changed: boolean; readonly open: OpenWork }
  | { readonly ok: false; readonly code: 'account_unknown' | AwayCode }
  | { readonly ok: false; readonly code: 'account_has_open_caps'; readonly open: OpenWork };

/** Reads what is open by indexes of their own: an account that is flooded with intents can be closed too. */
const COUNT_OPEN = `
  select (
      select count(*)::integer from svc.payments
      where account_id = $1 and mode = any ($3::text[]) and status ${sqlIs(PAYMENT_STATUS.pending)}
    ) as processing,
    (
      select count(*)::integer
      from svc.authorizations signed
      join svc.intents intent
        on intent.account_id = signed.account_id and intent.mode = signed.mode and intent.id = signed.intent_id
      where signed.account_id = $1 and signed.mode = any ($3::text[]) and signed.upto and signed.closed_at is null
        and signed.valid_before > extract(epoch from $2::timestamptz)
        and intent.status ${sqlIs(INTENT_STATUS.requires_payment)}
    ) as open_caps`;

const CLOSE = sqlStep(ACCOUNT_TRANSITIONS, ACCOUNT_STATUS.active, ACCOUNT_STATUS.closed);

/** Closes an account for good: from the commit on no API key of it is accepted and none is made. */
export async function closeAccount(
  { pool, nowMs, actor }: Operation,
  accountId: string,
  options: { readonly now: boolean },
): Promise<ClosedAccount> {
  return inTransaction(pool, async (client): Promise<ClosedAccount> => {
    const { rows } = await client.query<{ status: AccountStatus }>(
      'select status from svc.accounts where id = $1 for no key update',
      [accountId],
    );
    const [account] = rows;
    if (account === undefined) return { ok: false, code: 'account_unknown' };
    const open = await countOpen(client, accountId, nowMs);
    const verdict = judgeClosing({ ...account, ...open }, options);
    if (verdict === 'account_has_open_caps') return { ok: false, code: verdict, open };
    if (verdict === 'closed_before') return { ok: true, changed: false, open };
    if (verdict !== 'close') return { ok: false, code: verdict };
    await client.query(`update svc.accounts set status = ${CLOSE.to} where id = $1 and status ${CLOSE.from}`, [
      accountId,
    ]);
    for (const mode of MODES) {
      await writeAudit(client, nowMs, {
        accountId,
        mode,
        actor,
        action: 'account.closed',
        target: accountId,
        detail: open,
      });
    }
    return { ok: true, changed: true, open };
  });
}

async function countOpen(client: pg.ClientBase, accountId: string, nowMs: number): Promise<OpenWork> {
  const { rows } = await client.query<{ processing: number; open_caps: number }>(COUNT_OPEN, [
    accountId,
    new Date(nowMs),
    MODES,
  ]);
  return { processing: rows[0]?.processing ?? 0, openCaps: rows[0]?.open_caps ?? 0 };
}

import type { Mode, PublishableRights } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { inOperation } from '../audit/standing.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { lockAccountMode } from './lock-account-mode.ts';

export type AccountRights = PublishableRights & { readonly mode: Mode };

/** One entry per mode; empty for an account that does not exist. */
export async function readPublishableRights(
  client: pg.Pool | pg.ClientBase,
  accountId: string,
): Promise<readonly AccountRights[]> {
  const { rows } = await client.query<AccountRights>(
    `select mode, publishable_origins as origins, publishable_creates as creates from svc.account_modes
     where account_id = $1 order by mode desc`,
    [accountId],
  );
  return rows;
}

/** Changes the given rights; others stay. Undefined when there is no such open account. */
export async function setPublishableRights(
  operation: Operation,
  accountId: string,
  mode: Mode,
  change: Partial<PublishableRights>,
): Promise<AccountRights | undefined> {
  const { nowMs, actor } = operation;
  return inOperation(operation, async (client) => {
    if (!(await lockAccountMode(client, accountId, mode))) return undefined;
    const before = (await readPublishableRights(client, accountId)).find((rights) => rights.mode === mode);
    if (before === undefined) return undefined;
    const after = { ...before, ...change };
    await client.query(
      `update svc.account_modes set publishable_origins = $3, publishable_creates = $4
       where account_id = $1 and mode = $2`,
      [accountId, mode, after.origins, after.creates],
    );
    const { origins, creates } = after;
    const entry = { accountId, mode, actor, action: 'account.publishable_set', target: accountId };
    await writeAudit(client, nowMs, { ...entry, detail: { origins, creates } });
    return after;
  });
}

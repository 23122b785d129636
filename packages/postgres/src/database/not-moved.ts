import { ACCOUNT_STATUS } from '@svc-pay/core';
import { sqlIs } from './status-sql.ts';

/** SQL: money for an account that moved is booked by the cell that has it, and by no other. */
export const sqlNotMoved = (accountId: string): string =>
  `not exists (select from svc.accounts gone where gone.id = ${accountId} and gone.status ${sqlIs(ACCOUNT_STATUS.moved)})`;

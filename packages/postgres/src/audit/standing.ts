// A person who was let in may lose the session or the role before the transaction of the action begins. The action judges both
// again, inside it.
import type { PersonRole } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import type { Operation } from './operation.ts';

/** On what a person acts. */
export type Standing = {
  readonly personId: string;
  readonly sessionId: string;
  /** Without it the action is the person's own, and of no account. */
  readonly account?: { readonly id: string; readonly roles: readonly PersonRole[] } | undefined;
};

type LostBy = 'session_over' | 'account_unknown' | 'role_missing';

/** Thrown inside the transaction: nothing of the action is done. */
export class StandingLost extends Error {
  readonly code: LostBy;
  constructor(code: LostBy) {
    super(`the person may not any more: ${code}`);
    this.code = code;
  }
}

/**
 * Holds session and role until the transaction ends. Where an action takes an advisory lock, call it after that lock: another
 * action that has the lock may want to change the rows that this one holds.
 */
export async function holdStanding(client: pg.ClientBase, { standing }: Pick<Operation, 'standing'>): Promise<void> {
  if (standing === undefined) return;
  const { personId, sessionId, account } = standing;
  const { rows } = await client.query<{ verdict: LostBy | 'good' }>(
    'select svc.hold_standing($1, $2, $3, $4) as verdict',
    [personId, sessionId, account?.id ?? null, account?.roles ?? null],
  );
  const verdict = rows[0]?.verdict ?? 'session_over';
  if (verdict !== 'good') throw new StandingLost(verdict);
}

/** The transaction of an action. */
export const inOperation = <Result>(
  operation: Pick<Operation, 'pool' | 'standing'>,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> =>
  inTransaction(operation.pool, async (client) => {
    await holdStanding(client, operation);
    return work(client);
  });

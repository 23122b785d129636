import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { type NewAuditEntry, writeAudit } from '../audit/write-audit.ts';

type Change = Pick<NewAuditEntry, 'action' | 'target' | 'detail'> & {
  /** Without it the change is the person's own, and of no account. */
  readonly accountId?: string | undefined;
};

/** People belong to an account as a whole: what changes them is in its live chain. */
export async function recordPersonChange(
  client: pg.ClientBase,
  { nowMs, actor }: Pick<Operation, 'nowMs' | 'actor'>,
  { accountId = PLATFORM, ...change }: Change,
): Promise<void> {
  await writeAudit(client, nowMs, { ...change, accountId, mode: 'live', actor });
}

// A restored database knows sessions and invitations as they were at its backup: one that ended since would be alive again, and a
// link that was used would work once more.

import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

export type EndedConsoleAccess = { readonly sessions: number; readonly invitations: number };

/** Ends every session with its API keys, withdraws every open invitation, and forgets every challenge. */
export async function endConsoleAccess({ pool, nowMs, actor }: Operation): Promise<EndedConsoleAccess> {
  const now = new Date(nowMs);
  return inTransaction(pool, async (client) => {
    const sessions = await client.query(
      `update svc.console_sessions set ended_at = $1, end_reason = 'ended' where ended_at is null`,
      [now],
    );
    const invitations = await client.query(
      'update svc.invitations set revoked_at = $1 where used_at is null and revoked_at is null',
      [now],
    );
    await client.query('delete from svc.webauthn_challenges');
    const ended = { sessions: sessions.rowCount ?? 0, invitations: invitations.rowCount ?? 0 };
    if (ended.sessions + ended.invitations > 0)
      await writeAudit(client, nowMs, {
        accountId: PLATFORM,
        mode: 'live',
        actor,
        action: 'console.access_ended',
        target: 'recover',
        detail: ended,
      });
    return ended;
  });
}

import { createHash, randomBytes } from 'node:crypto';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { createInvitation } from '../console/invitations.ts';
import { beginSandboxSession, seedSandboxPerson } from '../console/sandbox-person.ts';
import { createTestDatabase, insertRow } from '../testing/index.ts';
import { endConsoleAccess } from './end-console-access.ts';

const { pool } = await createTestDatabase();
const nowMs = Date.now();
const operation = { pool, nowMs, actor: 'operator:ada' };

test('after a restore no session of the backup is alive and no link of it works, and the audit record says so', async () => {
  const accountId = newId('account', nowMs);
  await insertRow(pool, 'accounts', { id: accountId, name: 'A shop' });
  const personId = await seedSandboxPerson(operation, accountId, 'Grace Hopper');
  const session = { personId, tokenHash: randomBytes(32), userAgent: 'Chromium', address: '192.0.2.1' };
  await beginSandboxSession(operation, session);
  const tokenHash = createHash('sha256').update('link').digest();
  await createInvitation(operation, { tokenHash, accountId, role: 'viewer', name: 'Ada' });

  expect(await endConsoleAccess(operation)).toEqual({ sessions: 1, invitations: 1 });
  const { rows } = await pool.query(
    `select (select count(*)::int from svc.console_sessions where ended_at is null) as alive,
       (select count(*)::int from svc.invitations where used_at is null and revoked_at is null) as open,
       (select detail from svc.audit where action = 'console.access_ended') as detail`,
  );
  expect(rows).toEqual([{ alive: 0, open: 0, detail: { sessions: 1, invitations: 1 } }]);
  expect(await endConsoleAccess(operation)).toEqual({ sessions: 0, invitations: 0 });
});

// A backup knows sessions and invitations that ended after it was made. The command that brings a restored database up to date ends
// them all.
import { createHash, randomBytes } from 'node:crypto';
import { judgeSession } from '@svc-pay/core';
import { startChain } from '@svc-pay/evm/testing';
import { createConsoleStores } from '@svc-pay/postgres/console-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { afterAll, expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const [{ pool, url }, chain] = await Promise.all([createTestDatabase(), startChain({ blockTimeSeconds: 0.1 })]);
afterAll(() => chain.stop('SIGKILL'));
const { processor } = chain.record;
const networks = {
  [chain.network]: { processor, processorVersion: '1.3.0', ready: true, rpcUrls: [chain.rpcUrl] },
};
const environment = {
  ...svcEnvironment(url),
  SVC_NETWORKS: JSON.stringify(networks),
  SVC_CONSOLE_URL: 'https://console.example.com',
};
const stores = createConsoleStores({ pool });
const recover = () =>
  callSvc(environment, 'recover', '--from-chain', '--network', chain.network, '--from-block', '0', '--json');

test('after recovering, nobody of the backup is signed in to the console and no link of it works; the audit record says so', async () => {
  const { account } = (await askSvc(environment, 'accounts', 'create', '--name', 'A shop')).document as {
    account: { id: string };
  };
  const inviteOwner = async (name: string) => {
    const invited = await askSvc(environment, 'people', 'invite', account.id, '--role', 'owner', '--name', name);
    const [, token = ''] = (invited.document as { link: string }).link.split('#');
    return createHash('sha256').update(token).digest();
  };
  const nowMs = Date.now();
  const passkey = {
    credentialId: randomBytes(16),
    publicKey: randomBytes(77),
    signCount: 0,
    transports: ['internal'],
    aaguid: '00000000-0000-0000-0000-000000000000',
    name: 'Laptop',
    backedUp: false,
  };
  const joined = await stores.acceptWithPasskey(nowMs, await inviteOwner('Grace Hopper'), passkey);
  if (!joined.ok) throw new Error(joined.code);
  const { personId } = joined;
  const tokenHash = randomBytes(32);
  const session = { personId, tokenHash, userAgent: 'Chromium', address: '192.0.2.1' };
  await stores.signIn({ nowMs, actor: `person:${personId}` }, passkey, session);
  const linkHash = await inviteOwner('Ada Lovelace');
  const lives = async () => {
    const session = await stores.findSession(tokenHash);
    const invitation = await stores.findInvitation(linkHash, Date.now());
    return [session && judgeSession(session, tokenHash, Date.now()).alive, invitation?.state];
  };
  expect(await lives()).toEqual([true, 'open']);

  const recovered = await recover();
  expect(recovered.exitCode, recovered.stdout).toBe(0);
  expect(recovered.stderr).toContain('console: 1 sessions ended, 1 open invitations withdrawn');
  expect(await lives()).toEqual([false, 'revoked']);
  const { rows } = await pool.query("select actor, detail from svc.audit where action = 'console.access_ended'");
  expect(rows).toEqual([{ actor: 'operator:ada', detail: { sessions: 1, invitations: 1 } }]);

  const again = await recover();
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('console:') });
});

import { PERSON_ROLES, type PersonRole } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { CONSOLE_ROUTES, type ConsoleRoute } from './routes/console-routes.ts';
import { createConsoleHarness } from './testing/console-harness.ts';

const { pool, time, newAccount, invite, newBrowser, newMember } = await createConsoleHarness();
const MINUTE = 60_000;
const OTHER_PERSON = newId('person', 0);
/** A body that fits each route of an account. */
const BODIES: Readonly<Record<string, object>> = {
  invitePerson: { name: 'Edsger Dijkstra', role: 'viewer' },
  revokeInvitation: { invitationId: newId('invitation', 0) },
  changeRole: { personId: OTHER_PERSON, role: 'viewer' },
  removePerson: { personId: OTHER_PERSON },
  recoverPerson: { personId: OTHER_PERSON },
};
const routes = Object.entries<ConsoleRoute>(CONSOLE_ROUTES);
const ofAccount = routes.filter(([, { path }]) => path.includes('{accountId}'));
const needed = routes.filter(([, { session }]) => session === 'needed');

const account = await newAccount();
const members = new Map(
  await Promise.all(PERSON_ROLES.map(async (role) => [role, await newMember(account, role)] as const)),
);
const ask = (
  browser: Awaited<ReturnType<typeof newMember>>,
  [name, { method, path }]: [string, ConsoleRoute],
  of = account,
) => browser.send(method, path.replace('{accountId}', of), method === 'GET' ? {} : { body: BODIES[name] ?? {} });

test('there are routes of accounts, and each has a body here', () => {
  expect(ofAccount.length).toBeGreaterThan(5);
  for (const [name, { method }] of ofAccount) expect(method === 'GET' || name in BODIES, name).toBe(true);
});

test.each(ofAccount.flatMap((route) => PERSON_ROLES.map((role) => [route[0], role, route] as const)))(
  '%s as %s: the table says whether',
  async (_, role, route) => {
    const browser = members.get(role)!;
    const { roles = [], fresh } = route[1];
    await browser.check();
    const answer = await ask(browser, route);
    if (!roles.includes(role)) expect(answer.body.error).toBe('role_missing');
    else
      expect(['role_missing', 'check_needed', 'origin_refused', 'malformed_request']).not.toContain(answer.body.error);
    time.nowMs += 5 * MINUTE;
    if (roles.includes(role) && fresh) expect((await ask(browser, route)).body.error).toBe('check_needed');
  },
);

test.each(ofAccount)('%s tells an owner of another account nothing', async (...route) => {
  const stranger = await newMember(await newAccount(), 'owner');
  const answer = await ask(stranger, route);
  expect(answer).toMatchObject({ status: 404, body: { error: 'account_unknown' } });
  expect((await ask(stranger, route, newId('account', 0))).body.error).toBe('account_unknown');
});

test.each(needed)('%s needs a session', async (_, { method, path }) => {
  const nobody = newBrowser();
  const answer = await nobody.send(method, path.replace('{accountId}', account), method === 'GET' ? {} : { body: {} });
  expect(answer).toMatchObject({ status: 401, body: { error: 'session_missing' } });
});

test('an owner invites, changes a role and removes, and the record names the owner', async () => {
  const own = await newAccount();
  const owner = await newMember(own, 'owner');
  const made = await owner.post(`/accounts/${own}/people/invite`, { name: 'Alan Kay', role: 'support' });
  const token = made.body.link.split('#')[1] ?? '';
  expect(made.body.link).toBe(`https://console.example.com/invitation#${token}`);
  const guest = newBrowser();
  await guest.accept(token);
  const list = async () =>
    (await owner.get(`/accounts/${own}/people`)).body as unknown as {
      members: { personId: string; name: string; role: PersonRole }[];
      invitations: { id: string; name: string }[];
    };
  const alan = (await list()).members.find(({ name }) => name === 'Alan Kay');
  expect(alan?.role).toBe('support');
  const personId = alan?.personId ?? '';
  expect((await owner.post(`/accounts/${own}/people/role`, { personId, role: 'developer' })).body['changed']).toBe(
    true,
  );
  const membership = (await guest.get('/me')).body['memberships'];
  expect(membership).toMatchObject([{ role: 'developer' }]);
  expect((await owner.post(`/accounts/${own}/people/remove`, { personId })).status).toBe(200);
  expect((await guest.get('/me')).body['memberships']).toEqual([]);
  const second = await owner.post(`/accounts/${own}/people/invite`, { name: 'Ada', role: 'viewer' });
  const { invitationId } = second.body as unknown as { invitationId: string };
  expect((await list()).invitations.map(({ id }) => id)).toEqual([invitationId]);
  expect((await owner.post(`/accounts/${own}/people/revoke-invitation`, { invitationId })).status).toBe(200);
  expect((await list()).invitations).toEqual([]);
  const { rows } = await pool.query<{ action: string }>(
    'select action from svc.audit where account_id = $1 and actor = $2 order by action',
    [own, `person:${owner.personId}`],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'invitation.created',
    'invitation.created',
    'invitation.revoked',
    'person.joined',
    'person.removed',
    'person.role_changed',
  ]);
});

test('the last owner stays, whoever asks, and two owners can’t remove each other at once', async () => {
  const own = await newAccount();
  const [one, two] = [await newMember(own, 'owner'), await newMember(own, 'owner')];
  const remove = (by: typeof one, personId: string) => by.post(`/accounts/${own}/people/remove`, { personId });
  const answers = await Promise.all([remove(one, two.personId), remove(two, one.personId)]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const { rows } = await pool.query<{ person_id: string }>(
    'select person_id from svc.memberships where account_id = $1',
    [own],
  );
  expect(rows).toHaveLength(1);
  const last = rows[0]?.person_id === one.personId ? one : two;
  expect((await remove(last, last.personId)).body.error).toBe('last_owner');
  const demoted = await last.post(`/accounts/${own}/people/role`, { personId: last.personId, role: 'viewer' });
  expect(demoted.body.error).toBe('last_owner');
});

test.each(['removed', 'made a viewer', 'disabled'] as const)(
  'the open invitations of an owner end when the owner is %s',
  async (change) => {
    const own = await newAccount();
    const [keeper, leaver] = [await newMember(own, 'owner'), await newMember(own, 'owner')];
    const made = await leaver.post(`/accounts/${own}/people/invite`, { name: 'The way back', role: 'owner' });
    const token = made.body.link.split('#')[1] ?? '';
    expect((await newBrowser().post('/invitations/show', { token })).status).toBe(200);
    const { personId } = leaver;
    if (change === 'removed') await keeper.post(`/accounts/${own}/people/remove`, { personId });
    else if (change === 'disabled')
      await pool.query('update svc.persons set disabled_at = now() where id = $1', [personId]);
    else await keeper.post(`/accounts/${own}/people/role`, { personId, role: 'viewer' });
    const guest = newBrowser();
    expect((await guest.post('/invitations/show', { token })).body.error).toBe('invitation_invalid');
    const known = await newMember(await newAccount(), 'owner');
    expect((await known.post('/invitations/accept', { token })).body.error).toBe('invitation_invalid');
  },
);

test('an owner who was removed a moment ago changes nobody: the role is read again where the change is made', async () => {
  const own = await newAccount();
  const [keeper, leaver] = [await newMember(own, 'owner'), await newMember(own, 'owner')];
  const change = { personId: keeper.personId, role: 'viewer' };
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`svc.people/${own}`]);
  // Both have passed the first look at the role, and wait.
  const waiting = Promise.all([
    leaver.post(`/accounts/${own}/people/role`, change),
    leaver.post(`/accounts/${own}/people/invite`, { name: 'The way back', role: 'owner' }),
  ]);
  await expect
    .poll(async () => {
      const { rows } = await pool.query<{ count: string }>(
        `select count(*) from pg_locks join pg_database on pg_database.oid = pg_locks.database
         where locktype = 'advisory' and not granted and datname = current_database()`,
      );
      return rows[0]?.count;
    })
    .toBe('2');
  await holder.query(`delete from svc.memberships where account_id = $1 and person_id = $2`, [own, leaver.personId]);
  await holder.query('commit');
  holder.release();
  expect((await waiting).map(({ body }) => body.error)).toEqual(['account_unknown', 'account_unknown']);
});

test('one person belongs to several accounts, with a role in each', async () => {
  const [first, second] = [await newAccount(), await newAccount()];
  const person = await newMember(first, 'owner');
  const token = await invite(second, 'viewer');
  time.nowMs += 5 * MINUTE;
  expect((await person.post('/invitations/accept', { token })).body.error).toBe('check_needed');
  await person.check();
  expect((await person.post('/invitations/accept', { token })).status).toBe(200);
  expect((await person.post('/invitations/accept', { token })).body.error).toBe('invitation_invalid');
  expect((await person.get('/me')).body['memberships']).toEqual([
    { accountId: first, accountName: 'A shop', role: 'owner' },
    { accountId: second, accountName: 'A shop', role: 'viewer' },
  ]);
  expect((await person.get(`/accounts/${second}/people`)).body.error).toBe('role_missing');
  const again = await invite(second, 'owner');
  expect((await person.post('/invitations/accept', { token: again })).body.error).toBe('member_already');
});

test('every device is lost: an owner makes a link, and everything of before ends when it is used', async () => {
  const own = await newAccount();
  const owner = await newMember(own, 'owner');
  const person = await newMember(own, 'support');
  const made = await owner.post(`/accounts/${own}/people/recover`, { personId: person.personId });
  const withdrawn = made.body.link.split('#')[1] ?? '';
  const other = await owner.post(`/accounts/${own}/people/recover`, { personId: person.personId });
  const token = other.body.link.split('#')[1] ?? '';
  // The second link is the end of the first. Making the link changes nothing yet.
  expect((await person.get('/me')).status).toBe(200);
  const found = newBrowser();
  expect((await found.post('/invitations/show', { token: withdrawn })).body.error).toBe('invitation_invalid');
  expect((await found.post('/invitations/show', { token })).body['kind']).toBe('recover');
  expect((await found.accept(token)).status).toBe(200);
  const me = (await found.get('/me')).body;
  expect(me).toMatchObject({ person: { id: person.personId }, memberships: [{ accountId: own, role: 'support' }] });
  expect((await person.get('/me')).body.error).toBe('session_over');
  expect((await person.signIn()).body.error).toBe('passkey_refused');
});

test('no owner recovers a person of accounts that the owner does not own, at the start or at the end', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()];
  const attacker = await newMember(mine, 'owner');
  const victim = await newMember(theirs, 'owner');
  await victim.post('/invitations/accept', { token: await invite(mine, 'viewer') });
  const refused = await attacker.post(`/accounts/${mine}/people/recover`, { personId: victim.personId });
  expect(refused.body.error).toBe('recovery_not_allowed');
  const stranger = await newMember(theirs, 'viewer');
  const ofOthers = await attacker.post(`/accounts/${mine}/people/recover`, { personId: stranger.personId });
  expect(ofOthers.body.error).toBe('person_unknown');
  // The link was made in time, and the person joined another account since.
  const guest = await newMember(mine, 'viewer');
  const made = await attacker.post(`/accounts/${mine}/people/recover`, { personId: guest.personId });
  await guest.post('/invitations/accept', { token: await invite(theirs, 'owner') });
  const thief = newBrowser();
  expect((await thief.accept(made.body.link.split('#')[1] ?? '')).body.error).toBe('recovery_not_allowed');
  expect((await guest.get('/me')).status).toBe(200);
});

test('a person who is disabled is signed out and can’t sign in', async () => {
  const person = await newMember(account, 'developer');
  await pool.query('update svc.persons set disabled_at = now() where id = $1', [person.personId]);
  expect((await person.get('/me')).body.error).toBe('session_over');
  expect((await person.signIn()).body.error).toBe('passkey_refused');
});

// What the stores of the console guarantee when several people, or one person in several browsers, ask at the same moment. They
// have the rights of svc_console and no more.
import { createHash, randomBytes } from 'node:crypto';
import { judgeSession, rotationIsDue } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { StandingLost } from '../audit/standing.ts';
import { type ConsolePerson, createConsolePeople, newHash, newPasskey, times } from '../testing/console-people.ts';
import { whileUncommitted } from '../testing/while-uncommitted.ts';
import { disablePerson } from './people.ts';

const { owner, stores, now, shell, newAccount, invite, newSession, newPerson } = await createConsolePeople();

const MINUTE_MS = 60_000;
const count = async (table: string, where: string, value: unknown) =>
  (await owner.query<{ count: number }>(`select count(*)::integer as count from svc.${table} where ${where}`, [value]))
    .rows[0]?.count;
const rolesIn = async (accountId: string) =>
  (await owner.query('select role from svc.memberships where account_id = $1 order by role', [accountId])).rows.map(
    ({ role }) => role as string,
  );

describe('a challenge', () => {
  test('is taken by one of many answers at once', async () => {
    const challenge = newHash();
    await stores.putChallenge(challenge, { kind: 'sign_in' }, now + MINUTE_MS);
    const taken = await Promise.all(times(12, () => stores.takeChallenge(challenge, { kind: 'sign_in' }, now)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('is taken for its own purpose, session and time alone', async () => {
    const accountId = await newAccount();
    const [one, other] = [await newPerson(accountId, 'owner'), await newPerson(accountId, 'owner')];
    const challenge = newHash();
    const of = { kind: 'check', sessionId: one.session.id } as const;
    await stores.putChallenge(challenge, of, now + MINUTE_MS);
    for (const wrong of [
      { kind: 'sign_in' },
      { kind: 'passkey', sessionId: one.session.id },
      { kind: 'check', sessionId: other.session.id },
      { kind: 'check' },
    ] as const)
      expect(await stores.takeChallenge(challenge, wrong, now)).toBe(false);
    expect(await stores.takeChallenge(challenge, of, now + MINUTE_MS)).toBe(false);
    expect(await stores.takeChallenge(challenge, of, now)).toBe(true);
  });
});

describe('an invitation', () => {
  test('makes one person of all who open the link at once', async () => {
    const accountId = await newAccount();
    const { tokenHash } = await invite(accountId);
    const passkeys = times(8, () => newPasskey());
    const accepted = await Promise.all(passkeys.map((passkey) => stores.acceptWithPasskey(now, tokenHash, passkey)));
    expect(accepted.filter(({ ok }) => ok)).toHaveLength(1);
    expect(accepted.filter((one) => !one.ok && one.code !== 'invitation_invalid')).toEqual([]);
    expect(await rolesIn(accountId)).toEqual(['viewer']);
    expect(
      await count(
        'passkeys',
        'credential_id = any ($1)',
        passkeys.map((one) => one.credentialId),
      ),
    ).toBe(1);
  });

  test('lets one of the people join who are signed in already', async () => {
    const [accountId, elsewhere] = [await newAccount(), await newAccount()];
    const people = await Promise.all(times(5, () => newPerson(elsewhere, 'viewer')));
    const { tokenHash } = await invite(accountId);
    const accepted = await Promise.all(people.map((one) => stores.acceptAsPerson(one.own, tokenHash, one.personId)));
    expect(accepted.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await rolesIn(accountId)).toEqual(['viewer']);
  });

  test('is refused with a passkey that another invitation registers at the same moment, and leaves no person behind', async () => {
    for (const _ of times(5, () => undefined)) {
      const accounts = await Promise.all(times(4, newAccount));
      const links = await Promise.all(accounts.map((accountId) => invite(accountId)));
      const one = newPasskey();
      const before = await count('persons', '$1::text is null', null);
      const accepted = await Promise.all(links.map((link) => stores.acceptWithPasskey(now, link.tokenHash, one)));
      expect(accepted.map((each) => (each.ok ? 'ok' : each.code)).sort()).toEqual([
        'ok',
        'passkey_known',
        'passkey_known',
        'passkey_known',
      ]);
      expect(await count('persons', '$1::text is null', null)).toBe((before ?? 0) + 1);
      expect(await count('memberships', 'account_id = any ($1)', accounts)).toBe(1);
    }
  });

  test('makes nobody a member twice: one person with two links at once joins by one of them', async () => {
    const [accountId, elsewhere] = [await newAccount(), await newAccount()];
    const person = await newPerson(elsewhere, 'viewer');
    const links = await Promise.all(times(4, () => invite(accountId)));
    const accepted = await Promise.all(
      links.map(({ tokenHash }) => stores.acceptAsPerson(person.own, tokenHash, person.personId)),
    );
    expect(accepted.map((each) => (each.ok ? 'ok' : each.code)).sort()).toEqual([
      'member_already',
      'member_already',
      'member_already',
      'ok',
    ]);
  });

  test('of an owner who is removed, is no owner any more, or is disabled can’t be used', async () => {
    const accountId = await newAccount();
    const boss = await newPerson(accountId, 'owner');
    const made = async (how: (person: ConsolePerson) => Promise<unknown>) => {
      const rogue = await newPerson(accountId, 'owner');
      const { tokenHash } = await invite(accountId, 'owner', rogue.operation);
      await how(rogue);
      return stores.acceptWithPasskey(now, tokenHash, newPasskey());
    };
    const refused = { ok: false, code: 'invitation_invalid' };
    expect(
      await made(({ personId }) => stores.changeMembership(boss.operation, accountId, personId, undefined)),
    ).toEqual(refused);
    expect(
      await made(({ personId }) => stores.changeMembership(boss.operation, accountId, personId, 'viewer')),
    ).toEqual(refused);
    expect(await made(({ personId }) => disablePerson(shell, personId))).toEqual(refused);
    expect((await stores.listPeople(accountId, now)).invitations).toEqual([]);
  });
});

test('disabling a person ends each of their sessions, with an audit entry for each', async () => {
  const person = await newPerson(await newAccount(), 'owner');
  const other = await newSession(person.personId, person.passkey.credentialId);
  expect(await disablePerson(shell, person.personId)).toBe(true);
  const sessions = [person.session.id, other.id].toSorted();
  const { rows } = await owner.query<{ action: string; target: string; actor: string; reason: string | null }>(
    `select action, target, actor, detail ->> 'reason' as reason from svc.audit
     where target = any ($1) and action in ('session.ended', 'person.disabled') order by action, target`,
    [[...sessions, person.personId]],
  );
  const { actor } = shell;
  expect(rows).toEqual([
    { action: 'person.disabled', target: person.personId, actor, reason: null },
    ...sessions.map((target) => ({ action: 'session.ended', target, actor, reason: 'disabled' })),
  ]);
  expect(await count('console_sessions', "person_id = $1 and end_reason = 'disabled'", person.personId)).toBe(2);
  // A second time changes nothing.
  expect(await disablePerson(shell, person.personId)).toBe(true);
  expect(await count('audit', "target = $1 and action = 'person.disabled'", person.personId)).toBe(1);
});

describe('the token of a session', () => {
  test('is replaced once by many requests at once, and none of them is refused', async () => {
    const person = await newPerson(await newAccount(), 'owner');
    const { id, tokenHash } = person.session;
    const later = now + 61 * MINUTE_MS;
    const seen = await stores.findSession(tokenHash);
    if (seen === undefined) throw new Error('no session');
    expect(rotationIsDue(seen, 'current', later, { checked: false })).toBe(true);
    const drawn = times(6, newHash);
    const issued = await Promise.all(drawn.map((next) => stores.issueToken(seen, next, later)));
    expect(issued.filter(Boolean)).toHaveLength(1);
    const next = drawn[issued.indexOf(true)] ?? newHash();

    // Requests that began with the former token are under way while others show the new one.
    const judged = async (shown: Uint8Array, atMs: number) => {
      const found = await stores.findSession(shown);
      return found && judgeSession(found, shown, atMs);
    };
    const answers = await Promise.all(
      times(12, async (index) => {
        if (index % 2 === 0) return judged(tokenHash, later);
        const before = await judged(next, later);
        await stores.promoteToken(id, next, later);
        return before;
      }),
    );
    expect(answers.every((each) => each?.alive === true)).toBe(true);
    expect(await judged(next, later)).toMatchObject({ alive: true, shown: 'current' });
    expect(await judged(tokenHash, later + 29_999)).toMatchObject({ alive: true, shown: 'previous' });
    expect(await judged(tokenHash, later + 30_000)).toEqual({ alive: false, why: 'secret_reused' });
    // Not one of the tokens that lost the race opens anything.
    for (const lost of drawn.filter((each) => each !== next)) expect(await judged(lost, later)).toBeUndefined();
  });

  test('is replaced in no session that has ended', async () => {
    const person = await newPerson(await newAccount(), 'owner');
    const seen = await stores.findSession(person.session.tokenHash);
    if (seen === undefined) throw new Error('no session');
    const which = { sessionId: seen.id };
    await stores.endSessions(person.own, { personId: person.personId, which, reason: 'ended' });
    expect(await stores.issueToken(seen, newHash(), now)).toBe(false);
  });
});

test('an account keeps an owner when two of them remove each other, or both step down, at once', async () => {
  for (const _ of times(8, () => undefined)) {
    const accountId = await newAccount();
    const [ada, bob] = [await newPerson(accountId, 'owner'), await newPerson(accountId, 'owner')];
    const removed = await Promise.allSettled([
      stores.changeMembership(ada.operation, accountId, bob.personId, undefined),
      stores.changeMembership(bob.operation, accountId, ada.personId, undefined),
    ]);
    // The second one is no member any more when its turn comes.
    expect(removed.filter((one) => one.status === 'fulfilled').map((one) => one.value)).toEqual(['ok']);
    expect(removed.find((one) => one.status === 'rejected')?.reason).toBeInstanceOf(StandingLost);
    expect(await rolesIn(accountId)).toEqual(['owner']);

    const other = await newAccount();
    const two = await Promise.all([newPerson(other, 'owner'), newPerson(other, 'owner')]);
    const stepped = await Promise.all(
      two.map((one) => stores.changeMembership(one.operation, other, one.personId, 'viewer')),
    );
    expect(stepped.sort()).toEqual(['last_owner', 'ok']);
    expect(await rolesIn(other)).toEqual(['owner', 'viewer']);
  }
});

test('a bucket of sign-ins grants its size to all who ask at once, and no more', async () => {
  const limit = { name: `address/${randomBytes(4).toString('hex')}`, size: 7, windowMs: 600_000 };
  const granted = await Promise.all(times(40, () => stores.takeSignIn(limit)));
  expect(granted.filter(Boolean)).toHaveLength(7);
  expect(await stores.takeSignIn({ ...limit, name: `${limit.name}/other` })).toBe(true);
});

describe('somebody whose request was let in', () => {
  const digest = createHash('sha256').update('an invitation').digest();
  type Change = (of: ConsolePerson) => readonly [string, ...unknown[]];
  const CHANGES: Readonly<Record<string, Change>> = {
    'is removed': ({ personId }) => ['delete from svc.memberships where person_id = $1', personId],
    'is no owner any more': ({ personId }) => [
      "update svc.memberships set role = 'developer' where person_id = $1",
      personId,
    ],
    'is signed out': ({ session }) => [
      "update svc.console_sessions set ended_at = now(), end_reason = 'ended' where id = $1",
      session.id,
    ],
    'is disabled': ({ personId }) => ['update svc.persons set disabled_at = now() where id = $1', personId],
  };
  type Act = (by: ConsolePerson, accountId: string, member: ConsolePerson) => Promise<unknown>;
  const ACTS: Readonly<Record<string, Act>> = {
    invites: ({ operation }, accountId) =>
      stores.createInvitation(operation, { tokenHash: digest, accountId, role: 'owner', name: 'Eve' }),
    'withdraws an invitation': async ({ operation }, accountId) =>
      stores.revokeInvitation(operation, accountId, (await stores.listPeople(accountId, now)).invitations[0]?.id ?? ''),
    'changes a role': ({ operation }, accountId, { personId }) =>
      stores.changeMembership(operation, accountId, personId, 'owner'),
    'removes a member': ({ operation }, accountId, { personId }) =>
      stores.changeMembership(operation, accountId, personId, undefined),
    'recovers a member': ({ operation, personId: by }, _, { personId }) =>
      stores.createRecovery(operation, { personId, tokenHash: digest, owner: by }),
  };
  const OWN: Readonly<Record<string, (by: ConsolePerson) => Promise<unknown>>> = {
    'adds a passkey': ({ own, personId }) => stores.addPasskey(own, personId, newPasskey()),
    'renames a passkey': ({ own, personId, passkey }) =>
      stores.renamePasskey(own, personId, passkey.credentialId, 'Eve'),
    'revokes a passkey': ({ own, personId, session, passkey }) =>
      stores.revokePasskey(own, { personId, sessionId: session.id }, passkey.credentialId),
    'joins an account': async ({ own, personId }) =>
      stores.acceptAsPerson(own, (await invite(await newAccount())).tokenHash, personId),
  };
  const everything = async () =>
    (
      await owner.query(
        `select (select count(*) from svc.invitations where revoked_at is null) as open,
           (select count(*) from svc.passkeys where revoked_at is null and name <> 'Eve') as passkeys,
           (select count(*) from svc.audit) as audit`,
      )
    ).rows;

  for (const [what, change] of Object.entries(CHANGES))
    test.each(Object.entries(ACTS))(`and ${what} meanwhile %s no more`, async (_, act) => {
      const accountId = await newAccount();
      const [by, member] = [await newPerson(accountId, 'owner'), await newPerson(accountId, 'viewer')];
      await newPerson(accountId, 'owner');
      await invite(accountId);
      const before = [await everything(), (await stores.listPeople(accountId, now)).members.length];
      await expect(whileUncommitted(owner, change(by), () => act(by, accountId, member))).rejects.toBeInstanceOf(
        StandingLost,
      );
      const removed = what === 'is removed' ? 1 : 0;
      const { members } = await stores.listPeople(accountId, now);
      expect([await everything(), members.length + removed]).toEqual(before);
    });

  for (const what of ['is signed out', 'is disabled'])
    test.each(Object.entries(OWN))(`and ${what} meanwhile %s no more`, async (_, act) => {
      const accountId = await newAccount();
      const by = await newPerson(accountId, 'owner');
      expect(await stores.addPasskey(by.own, by.personId, newPasskey())).toBe('added');
      const change = CHANGES[what]?.(by) ?? [''];
      await expect(whileUncommitted(owner, change, () => act(by))).rejects.toBeInstanceOf(StandingLost);
      expect(await stores.listPasskeys(by.personId)).toMatchObject([{ name: 'Laptop' }, { name: 'Laptop' }]);
      expect(await count('memberships', 'person_id = $1', by.personId)).toBe(1);
    });
});

test('whoever signs in or adds a passkey while a person recovers keeps nothing of it', async () => {
  for (const _ of times(6, () => undefined)) {
    const accountId = await newAccount();
    const [boss, lost] = [await newPerson(accountId, 'owner'), await newPerson(accountId, 'viewer')];
    const tokenHash = newHash();
    const wanted = { personId: lost.personId, tokenHash, owner: boss.personId };
    expect(await stores.createRecovery(boss.operation, wanted)).toMatchObject({ ok: true });
    const found = newPasskey();
    const [recovered] = await Promise.all([
      stores.acceptWithPasskey(now, tokenHash, found),
      ...times(3, () => stores.addPasskey(lost.own, lost.personId, newPasskey()).catch(() => undefined)),
      ...times(3, () => newSession(lost.personId, lost.passkey.credentialId).catch(() => undefined)),
    ]);
    expect(recovered).toEqual({ ok: true, personId: lost.personId });
    const kept = await stores.listPasskeys(lost.personId);
    expect(kept.map(({ credentialId }) => credentialId)).toEqual([
      Buffer.from(found.credentialId).toString('base64url'),
    ]);
    expect(await stores.listSessions(lost.personId, now)).toEqual([]);
  }
});

test('what is over is removed: challenges, buckets that are full again, and sessions of long ago', async () => {
  const person = await newPerson(await newAccount(), 'owner');
  await stores.putChallenge(newHash(), { kind: 'check', sessionId: person.session.id }, now - 1);
  await stores.takeSignIn({ name: 'address/old', size: 1_000, windowMs: 1 });
  await owner.query("update svc.console_sessions set expires_at = now() - interval '31 days' where id = $1", [
    person.session.id,
  ]);
  expect(await stores.removeOldSignIns(now)).toBe(1);
  expect(await stores.findSession(person.session.tokenHash)).toBeUndefined();
  expect(await count('webauthn_challenges', 'session_id = $1', person.session.id)).toBe(0);
  expect(await count('sign_in_buckets', 'name = $1', 'address/old')).toBe(0);
});

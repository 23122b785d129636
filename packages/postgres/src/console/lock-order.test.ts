// Changes that want each other's rows at the same moment. Both are done, one after the other: PostgreSQL fails one of two that wait
// for each other, and its person would be told of an internal error.
import { expect, test } from 'vitest';
import { StandingLost } from '../audit/standing.ts';
import { type ConsolePerson, createConsolePeople, newHash, newPasskey, times } from '../testing/console-people.ts';
import { createRecovery } from './invitations.ts';
import { disablePerson } from './people.ts';

const { owner, stores, now, shell, newAccount, newSession, newPerson } = await createConsolePeople();
const ROUNDS = 12;

/** A person with two passkeys, signed in often. */
async function personWithDevices() {
  const person = await newPerson(await newAccount(), 'owner');
  const phone = newPasskey();
  expect(await stores.addPasskey(person.own, person.personId, phone)).toBe('added');
  const others = [];
  for (const _ of times(4, () => undefined)) others.push(await newSession(person.personId, phone.credentialId));
  // The row of the session that asks is found last by whoever ends several: it has the others already.
  await stores.noteSessionSeen(person.session.id, now + 60_000);
  return { ...person, phone, others };
}
type PersonWithDevices = Awaited<ReturnType<typeof personWithDevices>>;

const removePhone = ({ own, personId, session, phone }: PersonWithDevices) =>
  stores.revokePasskey(own, { personId, sessionId: session.id }, phone.credentialId);
const endAllBut = ({ personId }: ConsolePerson, allBut: string | null) =>
  stores.endSessions(
    { nowMs: now, actor: `person:${personId}` },
    { personId, which: { allBut }, reason: allBut === null ? 'signed_out' : 'ended' },
  );
/** A person who lost the session or the role meanwhile is told so. Anything else is a fault. */
const doneOrLost = (problem: unknown) => {
  if (problem instanceof StandingLost) return 'lost';
  throw problem;
};
const auditOf = async (personId: string, action: string) =>
  (
    await owner.query<{ target: string; detail: object }>(
      'select target, detail from svc.audit where actor = $1 and action = $2 order by target',
      [`person:${personId}`, action],
    )
  ).rows;

test('removing a passkey records the end of every other session', async () => {
  const person = await personWithDevices();
  expect(await removePhone(person)).toBe('revoked');
  const ended = person.others.map(({ id }) => ({ target: id, detail: { reason: 'ended' } }));
  expect(await auditOf(person.personId, 'session.ended')).toEqual(
    ended.toSorted((one, other) => (one.target < other.target ? -1 : 1)),
  );
});

test('a recovery records the end of every session of before', async () => {
  const person = await personWithDevices();
  const tokenHash = newHash();
  expect(await createRecovery(shell, { personId: person.personId, tokenHash })).toMatchObject({ ok: true });
  expect(await stores.acceptWithPasskey(now, tokenHash, newPasskey())).toMatchObject({ ok: true });
  expect(await auditOf(person.personId, 'session.ended')).toHaveLength(1 + person.others.length);
});

const RIVALS: Readonly<Record<string, (person: PersonWithDevices) => Promise<unknown>>> = {
  'another browser ends all other sessions': (person) => endAllBut(person, person.others[1]?.id ?? ''),
  'another browser signs out everywhere': (person) => endAllBut(person, null),
  'another browser ends the session that asks': ({ own, personId, session }) =>
    stores.endSessions(own, { personId, which: { sessionId: session.id }, reason: 'ended' }),
  'the same passkey passes a check in the same session': ({ own, personId, session, phone }) =>
    stores.passCheck(
      own,
      { credentialId: phone.credentialId, signCount: 0, backedUp: false },
      { ...session, personId },
    ),
  'the operator disables the person': ({ personId }) => disablePerson(shell, personId),
};

test.each(Object.entries(RIVALS))('a passkey is removed while %s: neither fails', async (_, rival) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await personWithDevices();
    const [removed] = await Promise.all([removePhone(person).catch(doneOrLost), rival(person)]);
    expect(['revoked', 'lost']).toContain(removed);
  }
});

test('two browsers that each end all other sessions leave one of them, or none', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await personWithDevices();
    const [one, other] = [person.session.id, person.others[3]?.id ?? ''];
    const ended = await Promise.all([endAllBut(person, one), endAllBut(person, other)]);
    expect(new Set(ended.flat()).size).toBe(ended.flat().length);
    expect(await auditOf(person.personId, 'session.ended')).toHaveLength(ended.flat().length);
  }
});

test('an owner changes a role while another one makes a recovery link for the same person: neither fails', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const accountId = await newAccount();
    const member = await newPerson(accountId, 'viewer');
    const [ada, bob] = [await newPerson(accountId, 'owner'), await newPerson(accountId, 'owner')];
    const wanted = { personId: member.personId, tokenHash: newHash(), owner: ada.personId };
    const [made, changed] = await Promise.all([
      stores.createRecovery(ada.operation, wanted),
      stores.changeMembership(bob.operation, accountId, member.personId, 'developer'),
    ]);
    expect(made).toMatchObject({ ok: true });
    expect(changed).toBe('ok');
  }
});

// What the schema guarantees of people, sessions and session keys, whoever writes.
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { insertRow, SAMPLES } from '../testing/sample-rows.ts';

const { pool } = await createTestDatabase();
await insertRow(pool, 'accounts');
await insertRow(pool, 'account_modes');

let people = 0;
/** A member with a session, and what a key of that session is made of. */
async function newMember() {
  people += 1;
  const personId = `psn_${people}`;
  const sessionId = `cse_${people}`;
  await insertRow(pool, 'persons', { id: personId });
  await insertRow(pool, 'memberships', { person_id: personId });
  await insertRow(pool, 'console_sessions', {
    id: sessionId,
    person_id: personId,
    token_hash: hash(`token ${people}`),
  });
  const key = {
    id: `key_${people}`,
    lookup: hash(`key ${people}`),
    ciphertext: null,
    scopes: ['read'],
    expires_at: SAMPLES.console_sessions.expires_at,
    session_id: sessionId,
    person_id: personId,
    session_level: 'base',
    session_rights: await rightsOf(personId),
  };
  return { personId, sessionId, key };
}
async function rightsOf(personId: string): Promise<string> {
  const { rows } = await pool.query('select rights_id from svc.memberships where person_id = $1', [personId]);
  return rows[0].rights_id;
}
const hash = (text: string) => Buffer.from(text.padEnd(32)).subarray(0, 32);

async function revoked(keyId: string): Promise<boolean> {
  const { rows } = await pool.query<{ revoked: boolean }>(
    'select revoked_at is not null as revoked from svc.api_keys where id = $1',
    [keyId],
  );
  return rows[0]?.revoked === true;
}

test.each([
  [
    'the session ends',
    "update svc.console_sessions set ended_at = now(), end_reason = 'ended' where id = $2",
    'session',
  ],
  ['the person is disabled', 'update svc.persons set disabled_at = now() where id = $1', 'person'],
  ['the role changes', "update svc.memberships set role = 'viewer' where person_id = $1", 'person'],
  ['the membership ends', 'delete from svc.memberships where person_id = $1', 'person'],
] as const)('a session key is revoked in the transaction in which %s', async (_, sql, of) => {
  const other = await newMember();
  const { personId, sessionId, key } = await newMember();
  await insertRow(pool, 'api_keys', other.key);
  await insertRow(pool, 'api_keys', key);
  expect(await revoked(key.id)).toBe(false);
  await pool.query(sql.replace('$2', '$1'), [of === 'session' ? sessionId : personId]);
  expect([await revoked(key.id), await revoked(other.key.id)]).toEqual([true, false]);
});

test.each([
  [
    'a session that has ended',
    "update svc.console_sessions set ended_at = now(), end_reason = 'ended' where person_id = $1",
  ],
  ['a person who is disabled', 'update svc.persons set disabled_at = now() where id = $1'],
  ['somebody who is no member', 'delete from svc.memberships where person_id = $1'],
  ['a role that was changed', "update svc.memberships set role = 'viewer' where person_id = $1"],
  ['a role that was changed and given back', "update svc.memberships set role = 'owner' where person_id = $1"],
])('no key is made for %s', async (_, sql) => {
  const { personId, key } = await newMember();
  await pool.query(sql, [personId]);
  await expect(insertRow(pool, 'api_keys', key)).rejects.toMatchObject({ constraint: 'session_key_is_alive' });
});

test('no key is made for the session of another person, past the end of its session, or for another check', async () => {
  const { key } = await newMember();
  const other = await newMember();
  const late = new Date(SAMPLES.console_sessions.expires_at.getTime() + 1);
  for (const wrong of [
    { session_id: other.sessionId },
    { expires_at: late },
    { session_level: 'fresh', session_check: 'chk_other' },
  ])
    await expect(insertRow(pool, 'api_keys', { ...key, ...wrong })).rejects.toMatchObject({
      constraint: 'session_key_is_alive',
    });
  await insertRow(pool, 'api_keys', { ...key, session_level: 'fresh', session_check: 'chk_a' });
});

test('a session has a key for each role that the person had, and the last one alone is good', async () => {
  const { personId, key } = await newMember();
  await insertRow(pool, 'api_keys', key);
  await pool.query("update svc.memberships set role = 'viewer' where person_id = $1", [personId]);
  const other = { ...key, id: `${key.id}_b`, lookup: hash(`${key.id} b`), session_rights: await rightsOf(personId) };
  await insertRow(pool, 'api_keys', other);
  expect([await revoked(key.id), await revoked(other.id)]).toEqual([true, false]);
  const twice = { ...other, id: `${key.id}_c`, lookup: hash(`${key.id} c`) };
  await expect(insertRow(pool, 'api_keys', twice)).rejects.toMatchObject({ constraint: 'api_keys_of_session' });
});

test('a key that is made while its session ends is refused or revoked', async () => {
  const { sessionId, key } = await newMember();
  const [ending, making] = [await pool.connect(), await pool.connect()];
  try {
    await making.query('begin');
    await insertRow(making, 'api_keys', key);
    const ended = ending.query(
      "update svc.console_sessions set ended_at = now(), end_reason = 'signed_out' where id = $1",
      [sessionId],
    );
    await making.query('commit');
    await ended;
  } finally {
    ending.release();
    making.release();
  }
  expect(await revoked(key.id)).toBe(true);
});

test.each([
  ['that signs webhooks', { signing: true }],
  ['without scopes', { scopes: null }],
  ['without an end', { expires_at: null }],
  ['that is stored as ciphertext', { ciphertext: Buffer.alloc(60) }],
  ['of no person', { person_id: null }],
  ['of level fresh without a check', { session_level: 'fresh' }],
])('there is no session key %s', async (_, change) => {
  const { key } = await newMember();
  await expect(insertRow(pool, 'api_keys', { ...key, ...change })).rejects.toThrow();
});

test('a session has one key of a level for an account and mode', async () => {
  const { key } = await newMember();
  await insertRow(pool, 'api_keys', key);
  await expect(insertRow(pool, 'api_keys', { ...key, id: 'key_again', lookup: hash('again') })).rejects.toMatchObject({
    constraint: 'api_keys_of_session',
  });
});

test('an entry under a session key names the person, and no writer chooses which', async () => {
  const { personId, key } = await newMember();
  await insertRow(pool, 'api_keys', key);
  await insertRow(pool, 'api_keys', { id: 'key_plain', lookup: hash('plain') });
  const written = async (id: string, actor: string) => {
    await insertRow(pool, 'audit', { id, actor });
    return (await pool.query<{ actor: string }>('select actor from svc.audit where id = $1', [id])).rows[0]?.actor;
  };
  const named = `key:${key.id}/person:${personId}`;
  expect(await written('aud_1', `key:${key.id}`)).toBe(named);
  expect(await written('aud_2', `key:${key.id}/person:psn_eve`)).toBe(named);
  expect(await written('aud_3', 'key:key_plain/person:psn_eve')).toBe('key:key_plain');
  expect(await written('aud_4', 'operator:op_a')).toBe('operator:op_a');
});

test('what has ended does not come back', async () => {
  const { personId, sessionId } = await newMember();
  await insertRow(pool, 'passkeys', { person_id: personId, revoked_at: new Date() });
  await insertRow(pool, 'invitations', { used_at: new Date(), used_by: personId });
  await pool.query("update svc.console_sessions set ended_at = now(), end_reason = 'ended' where id = $1", [sessionId]);
  const revival = { constraint: 'no_revival' };
  for (const sql of [
    `update svc.console_sessions set ended_at = null, end_reason = null where id = '${sessionId}'`,
    'update svc.passkeys set revoked_at = null',
    'update svc.invitations set used_at = null, used_by = null',
  ])
    await expect(pool.query(sql)).rejects.toMatchObject(revival);
});

test('sessions that expired long ago leave with their keys, and no other', async () => {
  const old = await newMember();
  const { sessionId: young } = await newMember();
  await insertRow(pool, 'api_keys', old.key);
  await pool.query("update svc.console_sessions set expires_at = now() + interval '1 day'");
  await pool.query("update svc.console_sessions set expires_at = now() - interval '31 days' where id = $1", [
    old.sessionId,
  ]);
  const { rows } = await pool.query("select svc.remove_old_sessions(now() - interval '30 days') as gone");
  expect(rows).toEqual([{ gone: 1 }]);
  expect((await pool.query('select from svc.api_keys where id = $1', [old.key.id])).rowCount).toBe(0);
  expect((await pool.query('select from svc.console_sessions where id = $1', [young])).rowCount).toBe(1);
});

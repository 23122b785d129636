import { expect, test } from 'vitest';
import { invitationStateAt, judgeMembershipChange, mayRecover, type StoredMember } from './people-rules.ts';
import { PERSON_ROLES, type PersonRole, sessionKeyScopes } from './person-role.ts';

const ada: StoredMember = { personId: 'ada', role: 'owner' };
const bob: StoredMember = { personId: 'bob', role: 'viewer' };

test('an account keeps an owner, whoever is changed or leaves', () => {
  expect(judgeMembershipChange([ada, bob], 'ada', 'viewer')).toBe('last_owner');
  expect(judgeMembershipChange([ada, bob], 'ada', undefined)).toBe('last_owner');
  expect(judgeMembershipChange([ada], 'ada', undefined)).toBe('last_owner');
  const cleo: StoredMember = { personId: 'cleo', role: 'owner' };
  expect(judgeMembershipChange([ada, cleo], 'ada', undefined)).toBe('ok');
  expect(judgeMembershipChange([ada, bob], 'bob', 'owner')).toBe('ok');
  expect(judgeMembershipChange([ada, bob], 'bob', undefined)).toBe('ok');
  expect(judgeMembershipChange([ada, bob], 'bob', 'viewer')).toBe('unchanged');
  expect(judgeMembershipChange([ada, bob], 'eve', undefined)).toBe('member_unknown');
});

test('an owner recovers a person whose every account the owner owns', () => {
  const roles = (given: Record<string, PersonRole>) => new Map(Object.entries(given));
  const plain = { operatorView: false };
  expect(mayRecover(roles({ a: 'owner', b: 'owner' }), roles({ a: 'viewer', b: 'owner' }), plain)).toBe(true);
  expect(mayRecover(roles({ a: 'owner' }), roles({ a: 'viewer', b: 'viewer' }), plain)).toBe(false);
  expect(mayRecover(roles({ a: 'owner', b: 'developer' }), roles({ a: 'viewer', b: 'viewer' }), plain)).toBe(false);
  expect(mayRecover(roles({ a: 'owner' }), roles({}), plain)).toBe(false);
  expect(mayRecover(roles({ a: 'owner' }), roles({ a: 'viewer' }), { operatorView: true })).toBe(false);
});

test('an invitation is open until it is used, revoked or too old', () => {
  const times = { expiresAtMs: 10, usedAtMs: null, revokedAtMs: null };
  expect(invitationStateAt(times, 9)).toBe('open');
  expect(invitationStateAt(times, 10)).toBe('expired');
  expect(invitationStateAt({ ...times, usedAtMs: 1 }, 9)).toBe('used');
  expect(invitationStateAt({ ...times, revokedAtMs: 1 }, 9)).toBe('revoked');
});

test('no session key refunds without a fresh check, and a viewer’s never', () => {
  for (const role of PERSON_ROLES) {
    expect(sessionKeyScopes(role, 'base')).not.toContain('refund');
    expect(sessionKeyScopes(role, 'fresh').includes('refund')).toBe(role !== 'viewer');
  }
  expect(sessionKeyScopes('support', 'fresh')).toEqual(['read', 'refund']);
  expect(sessionKeyScopes('viewer', 'fresh')).toEqual(['read']);
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { afterAll, expect, test } from 'vitest';
import { GROUP_OF, loginOf, PROGRAMS } from '../init/folder-layout.ts';
import { callSvc } from '../testing/call-svc.ts';
import { checkRoles } from './check-roles.ts';
import { readInstallation } from './installation.ts';

const { pool, url } = await createTestDatabase();
const root = mkdtempSync(path.join(tmpdir(), 'svc-init-'));
const { host, pathname } = new URL(url);
const made = await callSvc(
  {},
  'init',
  root,
  '--for',
  'server',
  '--network',
  'base',
  '--relayers',
  '0',
  '--public',
  'https://pay.example.com',
  '--console',
  'https://console.example.com',
  '--database',
  `${host}${pathname}`,
);
const rolesSql = readFileSync(path.join(root, 'roles.sql'), 'utf8');
const logins = PROGRAMS.map(loginOf);
afterAll(async () => {
  rmSync(root, { recursive: true });
  await pool.query(`drop owned by ${logins.join(', ')}; drop role ${logins.join(', ')}`);
});

const problems = async () =>
  (await checkRoles(readInstallation(root))).filter(({ status }) => status !== 'ok').map(({ message }) => message);

test('the roles of roles.sql have the rights of their groups and no others, and a repeat changes nothing', async () => {
  expect(made).toMatchObject({ exitCode: 0 });
  for (let run = 0; run < 2; run += 1) {
    await pool.query(rolesSql);
    const findings = await checkRoles(readInstallation(root));
    expect(findings.map(({ message }) => message)).toEqual(
      PROGRAMS.map((program) => `${loginOf(program)} has the rights of ${GROUP_OF[program]} and no others.`),
    );
  }
});

test.each([
  [
    'a second group',
    'grant svc_settlement to svc_pay_api',
    'revoke svc_settlement from svc_pay_api',
    'in svc_settlement too',
  ],
  [
    'no group',
    'revoke svc_admin from svc_pay_admin',
    'grant svc_admin to svc_pay_admin',
    'svc_pay_admin is not in svc_admin',
  ],
  [
    'more than any service needs',
    'alter role svc_pay_webhooks createrole',
    'alter role svc_pay_webhooks nocreaterole',
    'svc_pay_webhooks has createrole',
  ],
  [
    'a right of its own',
    'grant select on svc.payments to svc_pay_admin',
    'revoke select on svc.payments from svc_pay_admin',
    'svc_pay_admin owns 1 objects or has rights',
  ],
  [
    'a group with more than the release grants',
    'grant update on svc.payouts to svc_api',
    'revoke update on svc.payouts from svc_api',
    'svc_api may more than this release grants: update payouts',
  ],
  [
    'a right that everyone has',
    'grant select on svc.endpoints to public',
    'revoke select on svc.endpoints from public',
    'svc_admin may more than this release grants: select endpoints',
  ],
  [
    'a group that lacks a right',
    'revoke insert on svc.batches from svc_settlement',
    'grant insert on svc.batches to svc_settlement',
    'svc_settlement lacks rights of this release: insert batches',
  ],
  ['another password', "alter role svc_pay_api password 'another'", rolesSql, 'password'],
])('the doctor finds a role with %s', async (_, plant, undo, found) => {
  await pool.query(plant);
  try {
    expect(await problems()).toContainEqual(expect.stringContaining(found));
  } finally {
    await pool.query(undo);
  }
  expect(await problems()).toEqual([]);
});

import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const { url, pool } = await createTestDatabase();
const environment = { ...svcEnvironment(url), SVC_CONSOLE_URL: 'https://console.example.com' };
const { account } = (await askSvc(environment, 'accounts', 'create', '--name', 'A shop')).document as {
  account: { id: string };
};
await pool.query(
  "insert into svc.persons (id, name, created_at) values ('psn_06e1w6nd00abcdefghjkmnpqrs', 'Grace', now())",
);
const person = 'psn_06e1w6nd00abcdefghjkmnpqrs';

test('an invitation is a link with a secret that the database does not have, on record under the operator', async () => {
  const made = await askSvc(environment, 'people', 'invite', account.id, '--role', 'owner', '--name', 'Ada');
  const { link, invitation } = made.document as { link: string; invitation: { id: string } };
  expect(made.document).toMatchObject({ invitation: { accountId: account.id, role: 'owner', name: 'Ada' } });
  expect(link).toMatch(/^https:\/\/console\.example\.com\/invitation#[\w-]{43}$/);
  const { rows } = await pool.query<{ row: string; actor: string }>(
    `select row_to_json(invitation)::text as row, audit.actor from svc.invitations invitation
     join svc.audit audit on audit.target = invitation.id where invitation.id = $1`,
    [invitation.id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.row).not.toContain(link.split('#')[1]);
  expect(rows[0]?.actor).toMatch(/^operator:/);
});

test.each([
  [['invite', account.id, '--role', 'king', '--name', 'Ada'], 64],
  [['invite', 'acct_nobody', '--role', 'owner', '--name', 'Ada'], 1],
  [['disable', 'psn_nobody'], 1],
  [['recover', 'psn_nobody'], 1],
  [['operator', 'psn_nobody', 'on'], 1],
  [['operator', person, 'maybe'], 64],
  [['operator', person], 64],
])('people %s is refused', async (argv, exitCode) => {
  expect((await callSvc(environment, 'people', ...argv)).exitCode).toBe(exitCode);
});

test('without the address of the console no link is made', async () => {
  const { SVC_CONSOLE_URL: _, ...without } = environment;
  const refused = await callSvc(without, 'people', 'recover', person);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('SVC_CONSOLE_URL');
});

test('a person sees the operator’s page until it is taken away again; each change is on record once', async () => {
  const set = async (word: string) => (await askSvc(environment, 'people', 'operator', person, word)).document;
  const may = async () => {
    const { rows } = await pool.query('select operator_view from svc.persons where id = $1', [person]);
    return rows[0].operator_view;
  };
  expect(await may()).toBe(false);
  expect(await set('on')).toMatchObject({ personId: person, operatorView: true });
  await set('on');
  expect(await may()).toBe(true);
  await set('off');
  expect(await may()).toBe(false);
  const { rows } = await pool.query(
    "select action, actor from svc.audit where target = $1 and action like 'person.operator%' order by id",
    [person],
  );
  expect(rows.map(({ action }) => action)).toEqual(['person.operator_view_given', 'person.operator_view_taken']);
  for (const { actor } of rows) expect(actor).toMatch(/^operator:/);
});

test('a person is listed, recovered and disabled; somebody who is disabled is not recovered', async () => {
  expect((await callSvc(environment, 'people', 'list')).stdout).toContain('Grace');
  expect((await askSvc(environment, 'people', 'recover', person)).document).toMatchObject({
    recovery: { personId: person },
  });
  expect((await callSvc(environment, 'people', 'disable', person)).exitCode).toBe(0);
  expect((await askSvc(environment, 'people', 'list')).document).toMatchObject({
    people: [{ id: person, disabledAt: expect.any(String) }],
  });
  expect((await callSvc(environment, 'people', 'recover', person)).exitCode).toBe(1);
});

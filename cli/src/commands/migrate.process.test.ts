import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { runSvc, svcEnvironment } from '../testing/run-svc.ts';

type Migrated = { missing?: string[]; applied?: string[]; partitions?: string[] };

test('a check says what a run will do; two runs at once do it once', async () => {
  const { url } = await createTestDatabase({ from: 'empty' });
  const environment = svcEnvironment(url);
  const early = await askSvc(environment, 'accounts', 'list');
  expect(early).toMatchObject({ exitCode: 1, document: { message: expect.stringContaining('not been migrated') } });

  const plan = (await askSvc(environment, 'migrate', '--check')).document as Migrated;
  expect(plan.missing?.length).toBeGreaterThan(5);
  const runs = await Promise.all([runSvc(environment, 'migrate', '--json'), runSvc(environment, 'migrate', '--json')]);
  const documents = runs.map(({ stdout }) => JSON.parse(stdout) as Migrated);
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(documents.flatMap(({ applied = [] }) => applied)).toEqual(plan.missing);
  expect(documents.flatMap(({ partitions = [] }) => partitions)).toContainEqual(expect.stringMatching(/^payments_/));
  expect(await callSvc(environment, 'migrate', '--check')).toMatchObject({
    exitCode: 0,
    stdout: 'Nothing to apply.\n',
  });
});

test('a database that does not answer, or refuses, is explained without its password', async () => {
  const { url } = await createTestDatabase({ from: 'empty' });
  const nobody = new URL(url);
  nobody.port = '1';
  nobody.password = 'canary';
  const refusing = new URL(url);
  refusing.password = 'canary';
  for (const [address, words] of [
    [nobody, 'does not answer'],
    [refusing, 'refuses this user or password'],
  ] as const) {
    for (const command of [['migrate'], ['keys', 'list'], ['doctor']]) {
      const { exitCode, stdout, stderr } = await callSvc(svcEnvironment(address.href), ...command);
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toContain(words);
      expect(stdout + stderr).not.toContain('canary');
    }
  }
});

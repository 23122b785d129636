import { randomBytes } from 'node:crypto';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const drawn = (number: number) => `${number}:${randomBytes(32).toString('base64')}`;

async function openShop() {
  const { url } = await createTestDatabase();
  const environment = svcEnvironment(url);
  await askSvc(environment, 'accounts', 'create', '--name', 'A shop');
  return environment;
}

/** Statuses of the doctor's findings on one setting. */
async function doctorSays(environment: Record<string, string>, setting: string) {
  const { findings } = (await askSvc(environment, 'doctor')).document as {
    findings: { subject: string; status: string }[];
  };
  return findings.filter(({ subject }) => subject === setting).map(({ status }) => status);
}

test('keys reseal counts what is left, and says so by its exit code until nothing is', async () => {
  const environment = await openShop();
  const { SVC_MASTER_KEYS: old = '' } = environment;
  const next = drawn(2);
  const both = { ...environment, SVC_MASTER_KEYS: `${next},${old}` };
  const left = [{ column: 'api_keys.ciphertext', masterKey: 1, count: 2 }];
  expect(await askSvc(both, 'keys', 'reseal', '--check')).toMatchObject({ exitCode: 1, document: { left } });
  const alone = await callSvc({ ...environment, SVC_MASTER_KEYS: next }, 'keys', 'reseal');
  expect(alone.exitCode).toBe(1);
  expect(alone.stdout + alone.stderr).toMatch(/No key in SVC_MASTER_KEYS opens:\n +api_keys.ciphertext of key_/);
  expect(await askSvc(both, 'keys', 'reseal')).toMatchObject({ exitCode: 0, document: { resealed: 2, left: [] } });
  expect(await askSvc(both, 'keys', 'reseal')).toMatchObject({ exitCode: 0, document: { resealed: 0 } });
  const rotated = { ...environment, SVC_MASTER_KEYS: next };
  expect(await doctorSays(rotated, 'SVC_MASTER_KEYS')).toEqual(['ok']);
});

test('keys rehash names operators, whose next key is made by operators roll', async () => {
  const environment = await openShop();
  const { SVC_KEY_PEPPER: old = '' } = environment;
  const made = await askSvc(environment, 'operators', 'create', '--name', 'Ada', '--email', 'ada@example.com');
  const { operator, key } = made.document as { operator: { id: string }; key: string };
  const both = { ...environment, SVC_KEY_PEPPER: `${drawn(2)},1:${old}` };
  expect(await doctorSays(both, 'SVC_KEY_PEPPER')).toEqual(['warning', 'warning']);
  expect(await askSvc(both, 'keys', 'rehash')).toMatchObject({
    exitCode: 1,
    document: { rehashed: 4, left: 0, operators: [operator.id] },
  });
  const list = (SVC_OPERATOR_KEY: string, of: Record<string, string> = both) =>
    callSvc({ ...of, SVC_OPERATOR_KEY }, 'accounts', 'list');
  expect(await list(key)).toMatchObject({ exitCode: 0 });
  const rolled = await askSvc(both, 'operators', 'roll', operator.id, '--overlap', '0');
  const { key: nextKey } = rolled.document as { key: string };
  expect([(await list(key)).exitCode, (await list(nextKey)).exitCode]).toEqual([1, 0]);
  expect(await askSvc(both, 'keys', 'rehash', '--check')).toMatchObject({ exitCode: 0, document: { operators: [] } });
  const next = { ...both, SVC_KEY_PEPPER: both.SVC_KEY_PEPPER.split(',')[0] ?? '' };
  expect(await list(nextKey, next)).toMatchObject({ exitCode: 0 });
  await askSvc(environment, 'accounts', 'create', '--name', 'Made by a process that was forgotten');
  expect(await doctorSays(next, 'SVC_KEY_PEPPER')).toEqual(['problem']);
  expect(await doctorSays(both, 'SVC_KEY_PEPPER')).toEqual(['warning']);
  expect((await list(nextKey, environment)).exitCode).toBe(1);
});

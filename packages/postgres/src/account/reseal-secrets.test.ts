import { randomBytes } from 'node:crypto';
import {
  createSealer,
  createSecretBox,
  endpointContext,
  type MasterKey,
  newEndpointSecret,
  sealingKeyOf,
  secretKeyContext,
} from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newAccount, newOperation, TEST_MASTER_KEY } from '../testing/new-operation.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { countSealed, SEALED_COLUMNS } from './sealed-columns.ts';

const OLD: MasterKey = TEST_MASTER_KEY;
const NEXT: MasterKey = { number: 2, bytes: randomBytes(32) };
const both = createSecretBox([NEXT, OLD]);
const [oldAlone, nextAlone] = [createSecretBox([OLD]), createSecretBox([NEXT])];

/** An account with two secret keys and an endpoint whose secrets the API has sealed. */
async function openShop(endpoints = 1) {
  const { pool } = await createTestDatabase();
  const operation = newOperation(pool);
  const { id: accountId, secret } = await newAccount(operation);
  const api = createSealer(sealingKeyOf(OLD));
  const texts = { secret: newEndpointSecret(randomBytes), previous: newEndpointSecret(randomBytes) };
  const sealedFor = (id: string) => ({
    account_id: accountId,
    id,
    secret_ciphertext: api.seal(texts.secret, endpointContext(accountId, id, 'endpoint-secret')),
    previous_secret_ciphertext: api.seal(texts.previous, endpointContext(accountId, id, 'endpoint-secret')),
    previous_secret_expires_at: new Date(),
    headers_ciphertext: api.seal('{"x-shop":"1"}', endpointContext(accountId, id, 'endpoint-headers')),
  });
  for (let number = 0; number < endpoints; number += 1)
    await insertRow(pool, 'endpoints', sealedFor(`we_${String(number).padStart(4, '0')}`));
  const opens = async (box: ReturnType<typeof createSecretBox>) => {
    const { rows } = await pool.query(`select id, ciphertext from svc.api_keys where kind = 'secret'`);
    const hooks = await pool.query(
      'select id, secret_ciphertext, previous_secret_ciphertext, headers_ciphertext from svc.endpoints',
    );
    const tries = [
      ...rows.map((row) => () => box.open(row.ciphertext, secretKeyContext(accountId, row.id))),
      ...hooks.rows.flatMap((row) => [
        () => box.open(row.secret_ciphertext, endpointContext(accountId, row.id, 'endpoint-secret')),
        () => box.open(row.previous_secret_ciphertext, endpointContext(accountId, row.id, 'endpoint-secret')),
        () => box.open(row.headers_ciphertext, endpointContext(accountId, row.id, 'endpoint-headers')),
      ]),
    ];
    return tries.filter((open) => {
      try {
        return open() !== '';
      } catch {
        return false;
      }
    }).length;
  };
  return { pool, operation, accountId, secret, texts, opens };
}

test('every column that holds a ciphertext is resealed', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'svc' and column_name like '%ciphertext' and table_name not like '%\\_20%' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(
    SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted(),
  );
});

test('afterwards the new master key opens everything and the old one opens nothing', async () => {
  const { pool, operation, opens } = await openShop();
  expect([await opens(oldAlone), await opens(nextAlone)]).toEqual([5, 0]);
  expect(await resealSecrets(operation, both, 2)).toEqual({ resealed: 5, unopened: [], left: [] });
  expect([await opens(oldAlone), await opens(nextAlone)]).toEqual([0, 5]);
  expect((await countSealed(pool)).every(({ masterKey }) => masterKey === 2)).toBe(true);
  const { rows } = await pool.query(`select actor, target, detail from svc.audit where action = 'secrets.resealed'`);
  expect(rows).toEqual([{ actor: 'operator:ada', target: 'master_key_2', detail: { resealed: 5 } }]);
});

test('a walk that is killed in the middle goes on where it stopped', async () => {
  const { operation, opens } = await openShop(250);
  let seals = 0;
  const dying = {
    ...both,
    seal: (...given: Parameters<typeof both.seal>) => {
      seals += 1;
      if (seals > 100) throw new Error('killed');
      return both.seal(...given);
    },
  };
  await expect(resealSecrets(operation, dying, 2)).rejects.toThrow('killed');
  expect(await opens(nextAlone)).toBe(100);
  expect(await opens(both)).toBe(752);
  expect(await resealSecrets(operation, both, 2)).toEqual({ resealed: 652, unopened: [], left: [] });
  expect(await opens(nextAlone)).toBe(752);
});

test('a secret that is rotated while the walk has read it stays as it was rotated, and is counted', async () => {
  const { pool, operation, accountId } = await openShop();
  const fresh = newEndpointSecret(randomBytes);
  const context = endpointContext(accountId, 'we_0000', 'endpoint-secret');
  const sealed = createSealer(sealingKeyOf(OLD)).seal(fresh, context);
  const pending: Promise<unknown>[] = [];
  const interrupted = {
    ...both,
    open: (...given: Parameters<typeof both.open>) => {
      if (given[1].purpose === 'endpoint-secret' && pending.length === 0)
        pending.push(pool.query(`update svc.endpoints set secret_ciphertext = $1 where id = 'we_0000'`, [sealed]));
      return both.open(...given);
    },
  };
  // One connection: the rotation commits before the walk writes.
  const { left } = await resealSecrets({ ...operation, pool: oneAfterOther(pool, pending) }, interrupted, 2);
  expect(left).toEqual([{ column: 'endpoints.secret_ciphertext', masterKey: 1, count: 1 }]);
  const { rows } = await pool.query('select secret_ciphertext from svc.endpoints');
  expect(both.open(rows[0].secret_ciphertext, context)).toBe(fresh);
  expect((await resealSecrets(operation, both, 2)).left).toEqual([]);
});

test('a secret that no given key opens is named, and does not stop the others', async () => {
  const { pool, operation, accountId, secret } = await openShop();
  await pool.query(`update svc.api_keys set ciphertext = $2 where id = $1`, [
    secret.record.id,
    createSecretBox([{ number: 9, bytes: randomBytes(32) }]).seal('x', secretKeyContext(accountId, secret.record.id)),
  ]);
  expect(await resealSecrets(operation, both, 2)).toEqual({
    resealed: 4,
    unopened: [{ column: 'api_keys.ciphertext', accountId, id: secret.record.id, masterKey: 9 }],
    left: [{ column: 'api_keys.ciphertext', masterKey: 9, count: 1 }],
  });
});

/** A pool whose statements wait for what is pending. */
function oneAfterOther<Pool extends object>(pool: Pool, pending: readonly Promise<unknown>[]): Pool {
  return new Proxy(pool, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return async (...given: unknown[]) => {
        await Promise.all(pending);
        return (value as (...all: unknown[]) => Promise<unknown>).apply(target, given);
      };
    },
  });
}

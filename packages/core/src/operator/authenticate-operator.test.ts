import { randomBytes } from 'node:crypto';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { makeApiKey } from '../account/api-key.ts';
import { keyIndex } from '../account/key-index.ts';
import { authenticateOperator, type KnownOperator } from './authenticate-operator.ts';
import { makeOperatorKey, parseOperatorKey } from './operator-key.ts';

const pepper = randomBytes(32);
const key = makeOperatorKey(randomBytes);
const operator: KnownOperator = { id: newId('operator', 0), name: 'Ada', disabled: false };

const ask = (presented: string | undefined, stored: KnownOperator = operator) =>
  authenticateOperator(
    {
      peppers: [pepper],
      findOperator: async ([index]) => (Buffer.compare(index, keyIndex(pepper, key)) === 0 ? stored : undefined),
    },
    presented,
  );

test('an operator is known by the key alone, and acts under the id of its row', async () => {
  expect(await ask(key)).toEqual({ ok: true, operator, actor: `operator:${operator.id}` });
});

test.each([
  ['no key', undefined, 'key_missing'],
  ['a key that nobody has', makeOperatorKey(randomBytes), 'key_invalid'],
  ['a mistyped key', `${key.slice(0, -1)}!`, 'key_invalid'],
  ['a key with another checksum', `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, 'key_invalid'],
  ['a merchant’s secret key', makeApiKey('secret', 'live', randomBytes), 'key_invalid'],
])('%s is refused', async (_, presented, code) => {
  expect(await ask(presented)).toEqual({ ok: false, code });
});

test('a disabled operator is refused', async () => {
  expect(await ask(key, { ...operator, disabled: true })).toEqual({ ok: false, code: 'key_invalid' });
});

test('a key is read back, and no API key is an operator’s', () => {
  expect(parseOperatorKey(key)).toBe(key);
  expect(parseOperatorKey(makeApiKey('secret', 'test', randomBytes))).toBeUndefined();
});

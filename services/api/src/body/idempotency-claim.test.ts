import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readClaim } from './idempotency-claim.ts';

const body = Buffer.from('{"usdAmount":1}');
const read = (key: string | string[] | undefined) => readClaim('secret', key, 'POST', '/a', body);

test('without the header there is no claim', () => {
  expect(read(undefined)).toEqual({ ok: true, claim: null });
});

test.each(['a', '~', '!', 'x'.repeat(255), 'order-7/2'])('%j is a key', (key) => {
  expect(read(key)).toMatchObject({ ok: true, claim: { key } });
});

test.each([['', 'x'.repeat(256), 'a b', 'a, b', ' a', 'ä', 'a\t', '\u007f']].flat())('%j is refused', (key) => {
  expect(read(key)).toEqual({ ok: false, code: 'idempotency_key_invalid' });
});

test('a repeated header is refused', () => {
  expect(read(['a', 'b'])).toEqual({ ok: false, code: 'idempotency_key_invalid' });
});

test('the hash is of method, path and the bytes of the body', () => {
  const expected = createHash('sha256').update('POST /a\n{"usdAmount":1}').digest();
  expect(read('k')).toMatchObject({ claim: { requestHash: expected } });
  const others = [readClaim('secret', 'k', 'GET', '/a', body), readClaim('secret', 'k', 'POST', '/b', body)];
  others.push(readClaim('secret', 'k', 'POST', '/a', Buffer.from('{"usdAmount":1} ')));
  const hashes = [read('k'), ...others].map(
    (result) => result.ok && Buffer.from(result.claim!.requestHash).toString('hex'),
  );
  expect(new Set(hashes).size).toBe(4);
});

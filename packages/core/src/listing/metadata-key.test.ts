import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { isMetadataKey, metadataDigest, metadataDigests, readMetadataFilter } from './metadata-key.ts';

const owner = { accountId: newId('account', 1), mode: 'test' } as const;
const declared = (...keys: string[]) => keys.map((key) => ({ key, declaredAtMs: 0 }));

test('texts, numbers and booleans under declared keys are found, nothing else is', () => {
  const metadata = { order: '7', count: 7, paid: false, list: [1], none: null, deep: { order: 1 }, note: 'x' };
  const keys = declared('order', 'count', 'paid', 'list', 'none', 'deep', 'toString');
  expect(metadataDigests({ ...owner, metadata }, keys)).toEqual([
    metadataDigest(owner, { key: 'order', value: '7' }),
    metadataDigest(owner, { key: 'count', value: '7' }),
    metadataDigest(owner, { key: 'paid', value: 'false' }),
  ]);
});

test('digests of other accounts, modes, keys and values differ, also where the texts run into each other', () => {
  const digests = [
    metadataDigest(owner, { key: 'a', value: 'b' }),
    metadataDigest({ ...owner, mode: 'live' }, { key: 'a', value: 'b' }),
    metadataDigest({ ...owner, accountId: newId('account', 2) }, { key: 'a', value: 'b' }),
    metadataDigest(owner, { key: 'a","b', value: '' }),
    metadataDigest(owner, { key: 'ab', value: '' }),
  ].map((digest) => Buffer.from(digest).toString('hex'));
  expect(new Set(digests).size).toBe(digests.length);
});

test('a filter is a key, a colon and a value that may have colons', () => {
  expect(readMetadataFilter('order:a:b')).toEqual({ key: 'order', value: 'a:b' });
  expect(readMetadataFilter('order:')).toEqual({ key: 'order', value: '' });
  for (const text of ['', ':', 'order', ':x', 'a b:1', 'svc_x:1', 'order:\0', `order:${'x'.repeat(501)}`]) {
    expect(readMetadataFilter(text), text).toBeUndefined();
  }
});

test('the service’s own keys can’t be declared', () => {
  expect(
    ['order', 'Order-Id_1.2', 'svc_created_with', 'SVC_x', '', 'a:b', 'x'.repeat(41)].filter(isMetadataKey),
  ).toEqual(['order', 'Order-Id_1.2']);
});

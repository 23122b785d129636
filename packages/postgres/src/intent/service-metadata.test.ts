import { expect, test } from 'vitest';
import { readServiceMetadata, storedServiceMetadata } from './service-metadata.ts';

const serviceMetadata = { svc_upto_cap: '5' };
const again = (createdWith: 'publishable' | 'secret' | null) =>
  readServiceMetadata(JSON.parse(storedServiceMetadata({ serviceMetadata, createdWith })) as Record<string, unknown>);

test('which kind of key created an intent is stored with the service’s keys and read apart from them', () => {
  expect(again('publishable')).toEqual({ serviceMetadata, createdWith: 'publishable' });
});

test('a secret key, and nothing recorded, are the same', () => {
  expect(again('secret')).toEqual({ serviceMetadata, createdWith: null });
  expect(again(null)).toEqual({ serviceMetadata, createdWith: null });
});

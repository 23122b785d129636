import type { Intent } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { readServiceMetadata, storedServiceMetadata } from './service-metadata.ts';

const serviceMetadata = { svc_upto_cap: '5' };
const again = (given: Pick<Intent, 'createdWith' | 'tokens' | 'asksTokens'>) =>
  readServiceMetadata(JSON.parse(storedServiceMetadata({ serviceMetadata, ...given })) as Record<string, unknown>);

test.each(['publishable', 'secret', 'x402'] as const)(
  'that a %s key created an intent, and its tokens, are stored with the service’s keys and read apart from them',
  (createdWith) => {
    const given = { createdWith, tokens: ['base_usdc', 'base_eurc'] };
    expect(again(given)).toEqual({ serviceMetadata, ...given });
  },
);

test('an intent without an offer has no tokens, and one where nobody recorded them has unknown ones', () => {
  expect(again({ createdWith: 'secret', tokens: [] }).tokens).toEqual([]);
  expect(again({ createdWith: null, tokens: null })).toEqual({ serviceMetadata, createdWith: null, tokens: null });
});

test('that tokens were asked for is stored beside them, and nothing where dollars were', () => {
  const given = { createdWith: 'secret', tokens: ['base_eurc'] } as const;
  expect(again({ ...given, asksTokens: true })).toEqual({ serviceMetadata, ...given, asksTokens: true });
  expect(again(given)).not.toHaveProperty('asksTokens');
});

test('a value that no release writes counts as unknown', () => {
  const read = readServiceMetadata({
    ...serviceMetadata,
    svc_created_with: 'root',
    svc_tokens: 'base_usdc',
    svc_asked: 7,
  });
  expect(read).toEqual({ serviceMetadata, createdWith: null, tokens: null });
});

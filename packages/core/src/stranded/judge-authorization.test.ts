import { describe, expect, test } from 'vitest';
import { hasResult, judgeAuthorization, mayClose } from './judge-authorization.ts';

const ON_ITS_WAY = ['queued', 'batched', 'mined', 'held'];
const KINDS = [
  'transfer_with_authorization',
  'receive_with_authorization',
  'permit',
  'solana_transaction',
  'solana_message',
] as const;

test.each(KINDS)('a %s whose payment is on its way is left to the lane, expired or not', (kind) => {
  for (const settlement of ON_ITS_WAY) {
    expect(judgeAuthorization({ kind, settlement }, true)).toBe('leave');
    expect(judgeAuthorization({ kind, settlement }, false)).toBe('leave');
  }
});

describe('an authorization that anybody may submit', () => {
  const kind = 'transfer_with_authorization';

  test.each([null, 'failed', 'canceled'])('is checked on the chain while its settlement is %s', (settlement) => {
    expect(judgeAuthorization({ kind, settlement }, false)).toBe('check');
    expect(judgeAuthorization({ kind, settlement }, true)).toBe('check');
  });

  test('is closed without a check after its expiry when its settlement completed', () => {
    expect(judgeAuthorization({ kind, settlement: 'completed' }, false)).toBe('leave');
    expect(judgeAuthorization({ kind, settlement: 'completed' }, true)).toBe('close');
  });

  test('is closed after a check only if it expired unused', () => {
    expect(mayClose('check', true, 'over')).toBe(true);
    expect(mayClose('check', false, 'over')).toBe(false);
    for (const state of ['used', 'open', undefined] as const) expect(mayClose('check', true, state)).toBe(false);
  });
});

test.each(['permit', 'receive_with_authorization'] as const)('a %s is closed after its expiry', (kind) => {
  for (const settlement of [null, 'completed', 'failed', 'canceled']) {
    expect(judgeAuthorization({ kind, settlement }, false)).toBe('leave');
    expect(judgeAuthorization({ kind, settlement }, true)).toBe('close');
  }
});

test('a transaction that only the relayer completes is closed with the result of its payment', () => {
  const kind = 'solana_transaction';
  expect(judgeAuthorization({ kind, settlement: null }, true)).toBe('leave');
  for (const settlement of ['completed', 'failed', 'canceled']) {
    expect(judgeAuthorization({ kind, settlement }, false)).toBe('close');
  }
});

test('a signed text is left open for the job that closes its receipt', () => {
  for (const settlement of [null, 'completed', 'failed', 'canceled']) {
    expect(judgeAuthorization({ kind: 'solana_message', settlement }, true)).toBe('leave');
  }
});

test('a settlement has a result when it is on its way no more', () => {
  const withResult = ['completed', 'failed', 'canceled'];
  expect([null, ...ON_ITS_WAY, ...withResult].filter((settlement) => hasResult({ settlement }))).toEqual(withResult);
});

test('an authorization that is left stays open, and one to close is closed, whatever the chain shows', () => {
  for (const state of ['used', 'over', 'open', undefined] as const) {
    expect(mayClose('leave', true, state)).toBe(false);
    expect(mayClose('close', false, state)).toBe(true);
  }
});

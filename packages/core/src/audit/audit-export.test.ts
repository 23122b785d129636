import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type AuditExport,
  createAuditSigner,
  headsOf,
  judgeExport,
  judgeSignedHead,
  nextExport,
  signedHeadOf,
} from './audit-export.ts';

const signer = createAuditSigner(randomBytes(32));
const eve = createAuditSigner(randomBytes(32));
const head = (sequence: bigint) => ({ accountId: 'acct_a', mode: 'live', sequence, hash: randomBytes(32) });
const first = nextExport(undefined, [head(3n)], 1_000, signer);
const second = nextExport(first, [head(7n), head(9n)], 2_000, signer);

test('exports follow one another, are signed, and give their heads back', () => {
  expect(judgeExport(first, undefined, [signer.publicKey])).toBeUndefined();
  expect(judgeExport(second, first, [signer.publicKey])).toBeUndefined();
  expect(headsOf(second).map(({ sequence }) => sequence)).toEqual([7n, 9n]);
});

test.each([
  ['a missing one before it', 'gap', { ...second, number: 3n }],
  ['another one before it', 'link', { ...second, previousHash: randomBytes(32) }],
  ['other heads', 'content', { ...second, heads: '[]' }],
  ['another time', 'content', { ...second, createdAtMs: 2_001 }],
  ['a signature of another text', 'signature', { ...second, signature: first.signature }],
  ['another key', 'key', nextExport(first, [], 2_000, eve)],
] as const)('an export with %s is found: %s', (_, fault, changed: AuditExport) => {
  expect(judgeExport(changed, first, [signer.publicKey])).toBe(fault);
});

test('after a rotation both keys are trusted, and the earlier one signs nothing behind the later one', () => {
  const next = createAuditSigner(randomBytes(32));
  const trusted = [next.publicKey, signer.publicKey];
  const third = nextExport(second, [], 3_000, next);
  expect([judgeExport(second, first, trusted), judgeExport(third, second, trusted)]).toEqual([undefined, undefined]);
  expect(judgeExport(nextExport(third, [], 4_000, signer), third, trusted)).toBe('key');
  expect(judgeExport(third, second, [signer.publicKey])).toBe('key');
  for (const each of [second, third]) expect(judgeSignedHead(signedHeadOf(each), each, trusted)).toBeUndefined();
});

test('a line that was kept elsewhere shows that the database was written anew, or that its end was cut off', () => {
  const kept = signedHeadOf(second);
  expect(judgeSignedHead(kept, second, [signer.publicKey])).toBeUndefined();
  expect(judgeSignedHead(kept, nextExport(first, [], 2_000, signer), [signer.publicKey])).toBe('rewritten');
  expect(judgeSignedHead(kept, undefined, [signer.publicKey])).toBe('missing');
});

test.each([
  ['signed by another key', signedHeadOf(nextExport(first, [], 2_000, eve))],
  ['with another hash', { ...signedHeadOf(second), hash: signedHeadOf(first).hash }],
  ['with another number', { ...signedHeadOf(second), number: '99' }],
  ['with another time', { ...signedHeadOf(second), createdAtMs: 2_001 }],
  ['with no signature', { ...signedHeadOf(second), signature: '' }],
])('a line %s proves nothing', (_, line) => {
  expect(judgeSignedHead(line, second, [signer.publicKey])).toBe('signature');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditEntry, FIRST_PREVIOUS_HASH, sealEntries, verifyChain } from './audit-entry.ts';

const start = { sequence: 0n, hash: FIRST_PREVIOUS_HASH };
const text = fc.string({ maxLength: 8 });
const entries = fc.array(
  fc.record({
    id: text,
    accountId: text,
    mode: fc.constantFrom('test', 'live'),
    actor: text,
    action: text,
    target: text,
    detail: text,
    createdAtMs: fc.nat(),
  }) satisfies fc.Arbitrary<AuditEntry>,
  { minLength: 1, maxLength: 6 },
);

test('what was sealed verifies, in one go or in two', () => {
  fc.assert(
    fc.property(entries, fc.nat(), (list, cut) => {
      const whole = sealEntries(list, start);
      expect(verifyChain(whole)).toBeUndefined();
      const at = cut % list.length;
      const head = sealEntries(list.slice(0, at), start);
      const last = head.at(-1) ?? start;
      expect([...head, ...sealEntries(list.slice(at), last)]).toEqual(whole);
    }),
  );
});

test('a changed field, a removed, swapped or added entry is found', () => {
  fc.assert(
    fc.property(
      entries,
      fc.nat(),
      fc.constantFrom('actor', 'action', 'target', 'detail', 'mode'),
      (list, pick, field) => {
        const sealed = sealEntries(list, start);
        const at = pick % sealed.length;
        const changed = sealed.map((entry, index) =>
          index === at ? { ...entry, [field]: `${entry[field as 'actor']}!` } : entry,
        );
        expect(verifyChain(changed)).toMatchObject({ fault: 'content' });
        if (at < sealed.length - 1) expect(verifyChain(sealed.toSpliced(at, 1))).toMatchObject({ fault: 'gap' });
        expect(verifyChain([...sealed, sealed[at]!])).toMatchObject({ fault: 'gap' });
      },
    ),
  );
});

test('rewriting one entry with a fitting hash of its own breaks the link of the next', () => {
  const [one, two] = ['a', 'b'].map((id) => ({
    id,
    accountId: 'x',
    mode: 'test',
    actor: '',
    action: '',
    target: '',
    detail: '',
    createdAtMs: 1,
  }));
  const sealed = sealEntries([one!, two!], start);
  const forged = sealEntries([{ ...one!, action: 'nothing happened' }], start);
  expect(verifyChain([forged[0]!, sealed[1]!])).toMatchObject({ fault: 'link', id: 'b' });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MasterKey } from './master-key.ts';
import { createSealer, sealingKeyOf } from './sealing-key.ts';
import { createSecretBox } from './secret-box.ts';

const master = (number: number): MasterKey => ({ number, bytes: new Uint8Array(32).fill(number) });
const context = { accountId: 'acct_a', id: 'we_a', purpose: 'endpoint-secret' };
const sealer = createSealer(sealingKeyOf(master(1)));
const box = createSecretBox([master(2), master(1)]);

test('what the public half seals, the master key opens', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const wellFormed = text.toWellFormed();
      expect(box.open(sealer.seal(wellFormed, context), context)).toBe(wellFormed);
    }),
    { numRuns: 30 },
  );
});

test('the public half follows from the master key and is not it', () => {
  expect(sealingKeyOf(master(1))).toEqual(sealingKeyOf(master(1)));
  expect(Buffer.from(sealingKeyOf(master(1)).bytes)).not.toEqual(Buffer.from(master(1).bytes));
  // The public half used as a master key opens nothing.
  const { number, bytes } = sealingKeyOf(master(1));
  expect(() => createSecretBox([{ number, bytes }]).open(sealer.seal('x', context), context)).toThrow();
});

test('moved to another account, endpoint or purpose it does not open', () => {
  const sealed = sealer.seal('whsec', context);
  for (const [field, value] of Object.entries({ accountId: 'acct_b', id: 'we_b', purpose: 'endpoint-headers' })) {
    expect(() => box.open(sealed, { ...context, [field]: value })).toThrow();
  }
});

test('no changed byte goes unnoticed, and neither does a missing one', () => {
  const sealed = sealer.seal('whsec', context);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => box.open(changed, context), String(at)).toThrow();
    expect(() => box.open(sealed.subarray(0, at), context), String(at)).toThrow();
  }
});

test('a master key that is no longer given opens nothing of its own', () => {
  expect(() => createSecretBox([master(2)]).open(sealer.seal('x', context), context)).toThrow('no master key');
});

test('the same secret seals to other bytes each time', () => {
  expect(sealer.seal('x', context)).not.toEqual(sealer.seal('x', context));
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StableMemory } from './stable-memory.ts';

const PAGE = 65_536;

test('stable memory reads what was written, across pages, and a rollback brings the last commit back', () => {
  const write = fc.record({ at: fc.nat(3 * PAGE), bytes: fc.uint8Array({ minLength: 1, maxLength: 200 }) });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 8 }), fc.array(write, { maxLength: 8 }), (kept, undone) => {
      const memory = new StableMemory();
      const model = Buffer.alloc(4 * PAGE);
      memory.grow(4);
      for (const { at, bytes } of kept) {
        memory.write(at, bytes);
        model.set(bytes, at);
      }
      memory.commit();
      memory.grow(1);
      for (const { at, bytes } of undone) memory.write(at, bytes);
      memory.rollback();
      const read = Buffer.alloc(4 * PAGE);
      memory.read(0, read);
      expect(memory.pages).toBe(4);
      expect(read.equals(model)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('stable memory ends where it was grown to, and does not grow for ever', () => {
  const memory = new StableMemory();
  expect(() => memory.read(0, new Uint8Array(1))).toThrow('out of bounds');
  expect(memory.grow(1)).toBe(0);
  expect(() => memory.write(PAGE - 1, new Uint8Array(2))).toThrow('out of bounds');
  expect(memory.grow(1_000_000)).toBe(-1);
});

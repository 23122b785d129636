import { paintFor } from '@svc-pay/runtime/terminal/paint';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { table } from './table.ts';

const plain = paintFor(false);
const columns = [
  { head: 'NAME', cell: ({ name }: { name: string }) => name },
  { head: 'KEYS', cell: () => '4' },
];

test('columns line up under their headings', () => {
  expect(table([{ name: 'A shop' }, { name: 'Über' }], columns, plain)).toBe('NAME    KEYS\nA shop  4\nÜber    4');
});

test('every row is one line, whatever its cells hold', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (names) => {
      const lines = table(
        names.map((name) => ({ name })),
        columns,
        plain,
      ).split(/\r\n|[\n\r\u0085\u2028\u2029]/);
      expect(lines).toHaveLength(names.length + 1);
    }),
  );
});

test('a name can’t command the terminal', () => {
  const text = table([{ name: '\u001B]0;owned\u0007\u001B[31mred\u001B[0m\u202Eevil' }], columns, plain);
  for (const command of ['\u001B', '\u0007', '\u202E']) expect(text).not.toContain(command);
});

test('colours are for terminals', () => {
  expect(paintFor(false).bad('x')).toBe('x');
  expect(paintFor(true).bad('x')).toContain('\u001B[');
});

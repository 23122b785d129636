import fc from 'fast-check';
import { expect, test } from 'vitest';
import { missingLine } from './promised-output.ts';

const printed = 'start\n\n  took 1.25 s\nall good \n';

test('lines are found in order, with other lines between them', () => {
  expect(missingLine('start\nall good', printed)).toBeUndefined();
});

test('the wrong order, a part of a line and a line that is not there are all missing', () => {
  expect(missingLine('all good\nstart', printed)).toBe('start');
  expect(missingLine('all', printed)).toBe('all');
  expect(missingLine('start\nfinish', printed)).toBe('finish');
});

test('one printed line fulfils one promise only', () => {
  expect(missingLine('start\nstart', printed)).toBe('start');
});

test('an ellipsis stands for any text of its line and everything else is literal', () => {
  expect(missingLine('  took … s', printed)).toBeUndefined();
  expect(missingLine('…\n…good', printed)).toBeUndefined();
  expect(missingLine('  took 1?25 s', printed)).toBe('  took 1?25 s');
  expect(missingLine('s…d', 'start\nd')).toBe('s…d');
});

test('colours of a terminal are not part of the output', () => {
  expect(missingLine('green', '\u001B[32mgreen\u001B[39m')).toBeUndefined();
});

test('any output fulfils the promise of itself', () => {
  const line = fc.string({ unit: 'grapheme-ascii' }).filter((text) => !text.includes('…'));
  fc.assert(fc.property(fc.array(line), (lines) => missingLine(lines.join('\n'), lines.join('\n')) === undefined));
});

import { expect, test } from 'vitest';
import { announcedIn, readPage, scriptOf } from './page-blocks.ts';

const fence = (body: string, info = 'sh') => `\`\`\`${info}\n${body}\n\`\`\`\n\ntext\n\n`;
const page = readPage(fence('A=1\nB_2=two') + fence('{}', 'json') + fence('echo "$A"\necho more') + fence('echo last'));

test('blocks of shell come in order and unchanged, others are not typed', () => {
  expect(page).toEqual({
    variables: ['A', 'B_2'],
    blocks: [
      { line: 14, script: 'echo "$A"\necho more' },
      { line: 21, script: 'echo last' },
    ],
  });
  const script = scriptOf(page, { A: 'x', B_2: 'y' });
  expect(script.split('\n')).toEqual([
    "A='x'",
    "B_2='y'",
    "echo '::block 14'",
    'echo "$A"',
    'echo more',
    "echo '::block 21'",
    'echo last',
    "echo '::block end'",
    '',
  ]);
});

test('a value that is missing, or that the page does not ask for, is an error', () => {
  expect(() => scriptOf(page, { A: 'x' })).toThrow('the page sets A,B_2, the test gives A');
  expect(() => scriptOf(page, { A: 'x', B_2: 'y', C: 'z' })).toThrow('the test gives A,B_2,C');
});

test('a first block that does more than to set variables is an error: it would not be run', () => {
  expect(() => readPage(fence('A=1\nrm x') + fence('echo'))).toThrow('sets variables and nothing else: rm x');
});

test('only announcements are announcements', () => {
  expect(['::block 14', '::block end', 'echo ::block 3'].map(announcedIn)).toEqual(['14', 'end', undefined]);
});

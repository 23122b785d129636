import { expect, test } from 'vitest';
import { commandsOf } from './commands.ts';

const fence = (info: string, body: string) => `\`\`\`${info}\n${body}\n\`\`\`\n`;

test('only fences marked runnable are commands', () => {
  const { commands, problems } = commandsOf(
    fence('sh', 'echo no') + fence('ts', 'no()') + fence('sh runnable', 'echo yes'),
  );
  expect(problems).toEqual([]);
  expect(commands).toEqual([{ line: 7, script: 'echo yes', timeoutMs: 30_000, prints: undefined }]);
});

test('the timeout is in seconds', () => {
  expect(commandsOf(fence('sh runnable timeout=120', 'x')).commands[0]?.timeoutMs).toBe(120_000);
});

test('a promise belongs to the runnable fence right before it', () => {
  const { commands, problems } = commandsOf(`${fence('sh runnable', 'echo a')}\n${fence('text prints', 'a')}`);
  expect(problems).toEqual([]);
  expect(commands.map((command) => command.prints)).toEqual(['a']);
});

test.each([
  ['a promise behind a paragraph', `${fence('sh runnable', 'x')}\nwords\n\n${fence('text prints', 'a')}`],
  ['a promise behind a fence that does not run', `${fence('sh', 'x')}${fence('text prints', 'a')}`],
  ['a second promise', `${fence('sh runnable', 'x')}${fence('text prints', 'a')}${fence('text prints', 'b')}`],
  ['an empty promise', `${fence('sh runnable', 'x')}${fence('text prints', ' ')}`],
  ['a misspelt mark', fence('sh runable', 'x')],
  ['a misspelt option', fence('sh runnable timout=3', 'x')],
  ['a timeout of nothing', fence('sh runnable timeout=0', 'x')],
  ['another language', fence('python runnable', 'x')],
  ['a fence without an end', '```sh runnable\nx\n'],
])('%s is a problem, never skipped in silence', (_name, markdown) => {
  expect(commandsOf(markdown).problems).toHaveLength(1);
});

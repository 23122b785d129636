import { expect, test } from 'vitest';
import { fencesOf } from './fences.ts';

test('a fence has the line it opens on, its info string and its body', () => {
  const [fence, ...others] = fencesOf('# Title\n\n```sh runnable timeout=5\necho one\n\necho two\n```\nafter\n');
  expect(others).toEqual([]);
  expect(fence).toEqual({
    line: 3,
    lastLine: 7,
    info: 'sh runnable timeout=5',
    body: 'echo one\n\necho two',
    closed: true,
  });
});

test('a longer fence may hold a shorter one, and tildes may hold backticks', () => {
  expect(fencesOf('````md\n```sh runnable\nrm -rf x\n```\n````').map((fence) => fence.info)).toEqual(['md']);
  expect(fencesOf('~~~md\n```sh runnable\nrm -rf x\n```\n~~~').map((fence) => fence.info)).toEqual(['md']);
});

test('inline code of three backticks opens nothing', () => {
  expect(fencesOf('```not a fence``` and more\n')).toEqual([]);
});

test('a fence inside a list item loses the indentation of its opening and no more', () => {
  const [fence] = fencesOf('1. do\n\n   ```sh\n   if true; then\n     echo x\n   fi\n   ```\n');
  expect(fence?.body).toBe('if true; then\n  echo x\nfi');
});

test('a fence that is never closed says so', () => {
  expect(fencesOf('```sh runnable\necho x\n').map((fence) => fence.closed)).toEqual([false]);
});

test('Windows line ends leave no carriage return behind', () => {
  expect(fencesOf('```sh\r\necho x\r\n```\r\n')[0]?.body).toBe('echo x');
});

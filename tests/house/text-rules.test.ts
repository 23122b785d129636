import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { committedFiles, NOTHING, planted } from './source-tree.ts';
import { brokenTextRules, joined } from './text-rules.ts';

const tree = committedFiles();

test('committed files keep the rules', () => {
  expect(brokenTextRules(tree)).toEqual([]);
});

test('the lock carries no download address', () => {
  const packages = Object.values(
    (
      JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
        packages: Record<string, { resolved?: string; link?: boolean }>;
      }
    ).packages,
  );
  expect(packages.filter((entry) => entry.resolved !== undefined && entry.link !== true)).toEqual([]);
});

describe('a planted breach is found', () => {
  test.each([
    ['a registry', 'docs/planted.md', joined('see https://registry.npm', 'js.org/zod')],
    ['a working directory', 'docs/planted.md', joined('cd /wo', 'rk/main')],
    ['a home directory', 'tools/planted.ts', joined("const path = '/ho", "me/ann/svc';")],
    ['unfinished work', 'packages/money/src/planted.ts', joined('// TO', 'DO round')],
    ['a vague name', 'packages/money/src/utils.ts', 'export const a = 1;'],
    ['a vague folder', 'packages/money/src/helpers/a.ts', 'export const a = 1;'],
    ['a file past 400 lines', 'packages/money/src/planted.ts', 'export const a = 1;\n'.repeat(401)],
  ])('%s', (_, path, text) => {
    expect(brokenTextRules(planted(NOTHING, { [path]: text }))).toEqual([expect.stringContaining(path)]);
  });
});

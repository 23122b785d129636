import { describe, expect, test } from 'vitest';
import { brokenCodeRules } from './code-rules.ts';
import { committedFiles, planted } from './source-tree.ts';

const tree = committedFiles();

test('the code keeps the rules', () => {
  expect(brokenCodeRules(tree)).toEqual([]);
});

describe('a planted breach is found', () => {
  test.each([
    ['process.env outside config.ts', "export const url = process.env['DATABASE_URL'];"],
    ['a clock outside clock.ts', 'export const now = () => Date.now();'],
    ['another way to the clock', 'export const now = () => new Date();'],
    ['an amount through Number()', 'export const f = (amount: string) => Number(amount);'],
    ['an amount through parseFloat', 'export const f = (usdText: string) => Number.parseFloat(usdText);'],
    ['an amount through a plus sign', 'export const f = (fee: string) => +fee;'],
    ['an amount through Math', 'export const f = (price: number) => Math.round(price * 100);'],
    ['an amount through toFixed', 'export const f = (amountUsd: number) => amountUsd.toFixed(2);'],
    ['a secret compared with ===', 'export const f = (a: string, secret: string) => a === secret;'],
  ])('%s', (_, text) => {
    const path = 'packages/core/src/planted.ts';
    expect(brokenCodeRules(planted(tree, { [path]: text }))).toEqual([expect.stringContaining(path)]);
  });

  test.each([
    ['config.ts may read the environment', 'services/api/src/config.ts', "export const url = process.env['URL'];"],
    ['clock.ts may read the clock', 'packages/core/src/clock.ts', 'export const now = () => Date.now();'],
    [
      'a date may be made from a time',
      'packages/core/src/planted.ts',
      'export const f = (ms: number) => new Date(ms);',
    ],
    [
      'an empty secret may be refused',
      'packages/core/src/planted.ts',
      "export const f = (secret: string) => secret === '';",
    ],
  ])('but %s', (_, path, text) => {
    expect(brokenCodeRules(planted(tree, { [path]: text }))).toEqual([]);
  });
});

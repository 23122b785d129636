import { expect, test } from 'vitest';
import { committedFiles, planted } from './source-tree.ts';
import { doubleTypeNames } from './type-names.ts';

const tree = committedFiles();
/** Enough of the tree to plant a double in. */
const part = new Map([...tree].filter(([path]) => /^packages\/core\/src\/(?:intent|pricing)\//.test(path)));

test('no two exported types share a name', () => {
  expect(doubleTypeNames(tree)).toEqual([]);
});

test.each([
  ['in another package', 'packages/engine/src/planted.ts', 'export type Intent = string;'],
  ['in the same package', 'packages/core/src/lane/planted.ts', 'export interface Intent { id: string }'],
  ['under a list of exports', 'packages/engine/src/planted.ts', 'type Own = string; export type { Own as Intent };'],
  ['as a class, in a service', 'services/api/src/planted.ts', 'export class Intent {}'],
])('a planted double %s is found', (_, path, text) => {
  expect(doubleTypeNames(planted(part, { [path]: text }))).toEqual([expect.stringContaining(path)]);
});

test('a type that is not exported, options beside their function, and test code may repeat a name', () => {
  const files = {
    'packages/engine/src/planted.ts': 'type Intent = string; export type PricingOptions = Intent;',
    'packages/engine/src/testing/planted.ts': 'export type Intent = string;',
  };
  expect(doubleTypeNames(planted(part, files))).toEqual([]);
});

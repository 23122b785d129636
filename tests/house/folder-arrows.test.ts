import { describe, expect, test } from 'vitest';
import { arrowsOutOfOrder, FOLDER_ARROWS, forbiddenFolderImports } from './folder-arrows.ts';
import { committedFiles } from './source-tree.ts';

const tree = committedFiles();

test('folders of core and of postgres import only what the table allows', () => {
  expect(forbiddenFolderImports(tree)).toEqual([]);
});

test('the table is in topological order, so its arrows form no cycle', () => {
  expect(arrowsOutOfOrder()).toEqual([]);
  const cycle = { src: { shared: [], folders: { intent: ['event'], event: ['intent'] } } };
  expect(arrowsOutOfOrder(cycle)).toEqual(['src: intent → event']);
});

test('every folder of the table exists', () => {
  const named = Object.entries(FOLDER_ARROWS).flatMap(([source, { folders }]) =>
    Object.keys(folders).map((folder) => `${source}/${folder}/`),
  );
  expect(named.filter((folder) => ![...tree.keys()].some((file) => file.startsWith(folder)))).toEqual([]);
});

describe('a planted import is found', () => {
  test.each([
    ['against an arrow', 'packages/core/src/event/planted.ts', "import { a } from '../payment/payment.ts';"],
    ['of a type only', 'packages/core/src/lane/planted.ts', "import type { A } from '../ledger/books.ts';"],
    ['by a re-export', 'packages/postgres/src/payment/planted.ts', "export * from '../lane/lane-store.ts';"],
    ['of an entry point', 'packages/postgres/src/lane/planted.ts', "import { a } from '../index.ts';"],
    ['of test code', 'packages/postgres/src/lane/planted.ts', "import { a } from '../testing/index.ts';"],
    ['by a transition table', 'packages/core/src/lane/lane-transitions.ts', "import { a } from './lane.ts';"],
    ['in an unknown folder', 'packages/core/src/planted/planted.ts', "import { a } from '../clock.ts';"],
  ])('%s', (_, path, text) => {
    expect(forbiddenFolderImports(new Map([[path, text]]))).toEqual([expect.stringContaining(path)]);
  });
});

test('every folder may import a transition table', () => {
  const text = "import { a } from '../stranded/stranded-transitions.ts';";
  expect(forbiddenFolderImports(new Map([['packages/core/src/account/planted.ts', text]]))).toEqual([]);
});

test('a test, and code in testing/, may import every folder', () => {
  const imports = "import { a } from '../lane/lane.ts';";
  const files = {
    'packages/core/src/account/planted.test.ts': imports,
    'packages/core/src/testing/planted.ts': imports,
  };
  expect(forbiddenFolderImports(new Map(Object.entries(files)))).toEqual([]);
});

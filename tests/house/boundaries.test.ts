import { describe, expect, test } from 'vitest';
import { forbiddenImports } from './boundaries.ts';
import { cyclesOf, importsOf } from './imports.ts';
import { codeOf, committedFiles, planted } from './source-tree.ts';

const tree = committedFiles();

test('no import runs against the arrows', () => {
  expect(forbiddenImports(tree)).toEqual([]);
});

test('no file imports itself through others', () => {
  expect(cyclesOf(importsOf(codeOf(tree)))).toEqual([]);
});

describe('a planted import is found', () => {
  test.each([
    ['money leaning on protocol', 'packages/money/src/planted.ts', "import { payment } from '@svc-pay/protocol';"],
    ['protocol using Node', 'packages/protocol/src/planted.ts', "import { createHmac } from 'node:crypto';"],
    ['core using the database', 'packages/core/src/planted.ts', "import pg from 'pg';"],
    ['core using the chain library', 'packages/core/src/planted.ts', "export { keccak256 } from 'viem';"],
    ['core using a web framework', 'packages/core/src/planted.ts', "const f = await import('fastify');"],
    [
      'core using the engine',
      'packages/core/src/planted.ts',
      "import type { Context } from '@restatedev/restate-sdk';",
    ],
    ['one adapter using another', 'packages/evm/src/planted.ts', "import { pool } from '@svc-pay/postgres';"],
    ['one service using another', 'services/api/src/planted.ts', "import { lane } from '@svc-pay/settlement';"],
    ['the SDK using core', 'sdk/browser/src/planted.ts', "import { intent } from '@svc-pay/core';"],
    [
      'a room entered by the window',
      'packages/protocol/src/planted.ts',
      "import { a } from '../../money/src/rounding.ts';",
    ],
    ['a checker using the project', 'tests/chaos/checker/planted.ts', "import { payment } from '@svc-pay/protocol';"],
    ['a bench using a service', 'tests/bench/planted.ts', "import { start } from '@svc-pay/api';"],
  ])('%s', (_, path, text) => {
    expect(forbiddenImports(planted(tree, { [path]: text }))).toEqual([expect.stringContaining(path)]);
  });
});

test('a planted cycle is found, and named file by file', () => {
  const withCycle = planted(codeOf(tree), {
    'packages/money/src/one.ts': "import { two } from './two.ts';",
    'packages/money/src/two.ts': "export * from './three.ts';",
    'packages/money/src/three.ts': "const one = import('./one.ts');",
  });
  const [cycle, ...others] = cyclesOf(importsOf(withCycle));
  expect(others).toEqual([]);
  expect(new Set(cycle)).toEqual(new Set(['one', 'two', 'three'].map((name) => `packages/money/src/${name}.ts`)));
});

import { describe, expect, test } from 'vitest';
import { forbiddenImports } from './boundaries.ts';
import { committedFiles, NOTHING, planted } from './source-tree.ts';

const tree = committedFiles();

test('no import runs against the arrows', () => {
  expect(forbiddenImports(tree)).toEqual([]);
}, 120_000);

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
    ['one adapter using another', 'packages/chains/evm/src/planted.ts', "import { pool } from '@svc-pay/postgres';"],
    ['a type import of pg in a service', 'services/api/src/planted.ts', "type Pool = import('pg').Pool;"],
    ['a re-export of pg in a service', 'services/api/src/planted.ts', "export type { Pool } from 'pg';"],
    ['require in a service', 'services/api/src/planted.ts', "import { createRequire } from 'node:module';"],
    ['a package without a room', 'packages/planted/src/planted.ts', "import { a } from '@svc-pay/money';"],
    [
      'code that ships using testing',
      'services/api/src/planted.ts',
      "import { createTestDatabase } from '@svc-pay/postgres/testing';",
    ],
    ['one service using another', 'services/api/src/planted.ts', "import { lane } from '@svc-pay/settlement';"],
    ['a service using the database', 'services/settlement/src/planted.ts', "import type pg from 'pg';"],
    ['a service using a chain library', 'services/api/src/planted.ts', "import { keccak256 } from 'viem';"],
    ['a service using a part of one', 'services/webhooks/src/planted.ts', "import { http } from 'viem/chains';"],
    ['a service using Solana’s library', 'services/api/src/planted.ts', "import { address } from '@solana/kit';"],
    ['the SDK using core', 'sdk/browser/src/planted.ts', "import { intent } from '@svc-pay/core';"],
    [
      'a room entered by the window',
      'packages/protocol/src/planted.ts',
      "import { a } from '../../money/src/rounding.ts';",
    ],
    ['a checker using the project', 'tests/chaos/checker/planted.ts', "import { payment } from '@svc-pay/protocol';"],
    ['a bench using a service', 'tests/bench/planted.ts', "import { start } from '@svc-pay/api';"],
  ])('%s', (_, path, text) => {
    expect(forbiddenImports(planted(NOTHING, { [path]: text }))).toEqual([expect.stringContaining(path)]);
  });
});

import { describe, expect, test } from 'vitest';
import { brokenCodeRules } from './code-rules.ts';
import { committedFiles, NOTHING, planted } from './source-tree.ts';

const core = 'packages/core/src/planted.ts';
const money = 'packages/money/src/planted.ts';
const brokenIn = (path: string, text: string) => brokenCodeRules(planted(NOTHING, { [path]: text }));

test('the code keeps the rules', () => {
  expect(brokenCodeRules(committedFiles())).toEqual([]);
});

describe('a planted breach is found', () => {
  test.each([
    ['process.env outside config.ts', "export const url = process.env['DATABASE_URL'];"],
    ['the environment taken out of process', 'const { env } = process;'],
    ['the environment by another spelling', "const env = process['env'];"],
    ['the environment by import', "import { env } from 'node:process';"],
    ['a clock outside clock.ts', 'export const now = () => Date.now();'],
    ['another way to the clock', 'export const now = () => new Date();'],
    ['the clock as text', 'export const now = () => Date();'],
    ['the clock in two parts', 'export const now = () => performance.timeOrigin + performance.now();'],
    ['an amount through Number()', 'export const f = (amount: string) => Number(amount);'],
    ['an amount through an alias', 'const toNumber = Number;'],
    ['an amount through parseFloat', 'export const f = (textUsd: string) => Number.parseFloat(textUsd);'],
    ['an amount through a plus sign', 'export const f = (fee: string) => +fee;'],
    ['an amount through Math', 'export const f = (price: number) => Math.round(price);'],
    ['an amount through toFixed', 'export const f = (amountUsd: number) => amountUsd.toFixed(2);'],
    ['an amount times a fraction', 'export const f = (amountUsd: number) => amountUsd * 1.02;'],
    ['an amount divided as a number', 'export const f = (amountCents: number) => amountCents / 100;'],
    ['a secret compared with ===', 'export const f = (a: string, secret: string) => a === secret;'],
    ['a secret of an object compared', 'export const f = (a: string, b: { hmac: string }) => b.hmac !== a;'],
  ])('%s', (_, text) => {
    expect(brokenIn(core, text)).toEqual([expect.stringContaining(core)]);
  });

  test.each([
    ['a pool', 'export const f = (database: Database) => use(database.pool);'],
    ['a pool taken out of its database', 'const { pool } = database;'],
  ])('in a service: %s', (_, text) => {
    const service = 'services/api/src/planted.ts';
    expect(brokenIn(service, text)).toEqual([expect.stringContaining(service)]);
  });

  test.each([
    ['any conversion', 'export const f = (text: string) => Number(text);'],
    ['any mathematics', 'export const f = (a: number) => Math.floor(a);'],
    ['any plus sign', 'export const f = (text: string) => +text;'],
    ['any fraction', 'const rate = 0.025;'],
    ['an exponent', 'const unit = 1e6;'],
    ['a float array', 'new Float64Array(1);'],
    ['a float print', 'export const f = (a: number) => a.toPrecision(3);'],
    ['a division without its rounding', 'export const f = (a: bigint, b: bigint) => a / b;'],
    ['a number taken by its word', 'export const f = (a: unknown) => a as number;'],
  ])('in the money package: %s', (_, text) => {
    expect(brokenIn(money, text)).toEqual([expect.stringContaining(money)]);
  });
});

describe('what is allowed is not found', () => {
  test.each([
    ['the environment in config.ts', 'services/api/src/config.ts', "export const url = process.env['URL'];"],
    ['the clock in clock.ts', 'packages/core/src/clock.ts', 'export const now = () => Date.now();'],
    ['a date made from a time', core, 'export const f = (ms: number) => new Date(ms);'],
    ['an empty secret refused', core, "export const f = (secret: string) => secret === '';"],
    [
      'a word that begins as another does',
      core,
      'export const f = (feedbackCount: number) => Math.max(1, feedbackCount);',
    ],
    ['how many were settled', core, 'export const f = (refunds: string[]) => Math.min(10, refunds.length);'],
    ['costly tries', core, 'export const f = (costlyTries: number) => Math.ceil(costlyTries / 2);'],
    ['a load balancer', core, 'export const f = (loadBalancerPort: string) => Number(loadBalancerPort);'],
    [
      'the kind of a signature',
      core,
      'export const f = (signatureKind: string, kind: string) => signatureKind === kind;',
    ],
    ['an amount times an amount', core, 'export const f = (amount: bigint) => amount * 2n;'],
    [
      'a division where the rounding is named',
      'packages/money/src/rounding.ts',
      'export const f = (a: bigint) => a / 2n;',
    ],
  ])('%s', (_, path, text) => {
    expect(brokenIn(path, text)).toEqual([]);
  });
});

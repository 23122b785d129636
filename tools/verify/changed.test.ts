import { expect, test } from 'vitest';
import { leftOutLines, planChanged } from './changed.ts';

const plan = (...files: string[]) => planChanged(files, 'main');
const leftOut = (...files: string[]) => [...plan(...files).leftOut.keys()];
const commands = (...files: string[]) =>
  plan(...files).suites.flatMap(({ checks }) => checks.map(({ command }) => command.join(' ')));

test('static checks run, and tests that depend on the change by their imports', () => {
  const { suites } = plan('packages/money/src/rounding.ts');
  expect(suites.map(({ name }) => name)).toEqual(['static', 'changed']);
  expect(commands('packages/money/src/rounding.ts').at(-1)).toMatch(/^vitest run --project unit .* --changed main /);
});

test('a change in core leaves out, by name, what starts processes', () => {
  expect(leftOut('packages/core/src/index.ts')).toEqual(['e2e', 'browser', 'chaos', 'drill', 'sandbox']);
  expect(leftOutLines(plan('packages/core/src/index.ts')).join('\n')).toBe(
    [
      'left out, although the change can break them:',
      ...['e2e', 'browser', 'chaos', 'drill', 'sandbox'].map((suite) => `  ${suite}: packages/core/src/index.ts`),
      '  npm run verify -- --only e2e,browser,chaos,drill,sandbox',
    ].join('\n'),
  );
});

test.each([
  ['sdk/pay-button/src/stage.ts', ['e2e', 'browser', 'sandbox', 'packages']],
  ['contracts/evm/src/PaymentProcessor.sol', ['e2e', 'browser', 'chaos', 'drill', 'sandbox', 'contracts']],
  ['docs/quick-start.md', ['packages']],
  ['tools/verify/table.ts', []],
  ['packages/core/src/payment/check-window.test.ts', []],
])('%s leaves out %j', (file, suites) => {
  expect(leftOut(file)).toEqual(suites);
});

test('a test file that changed runs, whatever suite it is of; a long one does not', () => {
  const slow = commands('tests/e2e/crash.test.ts', 'tests/e2e/crash.long.test.ts').at(-1);
  expect(slow).toContain('tests/e2e/crash.test.ts');
  expect(slow).not.toContain('crash.long');
});

test('nothing left out is said too', () => {
  expect(leftOutLines(plan('tools/verify/table.ts'))).toEqual(['left out: nothing that the change can break']);
});

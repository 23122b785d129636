import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCheck } from './run-check.ts';
import type { Check } from './suites.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'run-check-'));
afterAll(() => rmSync(directory, { recursive: true }));

function forgeCheck(name: string, script: string): Check {
  const file = path.join(directory, `${name}.mjs`);
  writeFileSync(file, `import { writeFileSync } from 'node:fs';\nconst [, , flag, target] = process.argv;\n${script}`);
  return { name, command: ['node', file], counts: 'forge' };
}

test('tests of forge are counted from the report that the check was asked to write', async () => {
  const script = `if (flag === '--counts') writeFileSync(target, '{"passed":171,"failed":0}');`;
  expect(await runCheck('test', forgeCheck('green', script), 20_000)).toMatchObject({
    passed: 171,
    failed: 0,
    reason: '',
  });
});

test('failures of forge are counted and make the check red', async () => {
  const script = `writeFileSync(target, '{"passed":5,"failed":2}'); process.exitCode = 1;`;
  expect(await runCheck('test', forgeCheck('red', script), 20_000)).toMatchObject({
    passed: 5,
    failed: 2,
    reason: 'exit code 1',
  });
});

test('a run without a report is red, whatever it says of itself', async () => {
  expect(await runCheck('test', forgeCheck('silent', ''), 20_000)).toMatchObject({ failed: 1, reason: 'ran no test' });
});

// npm run chaos -- <name> [--intents N]
// The same test that verify runs with a few, with as many as asked for.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { environmentOfChild } from '../../tools/config.ts';

const TROUBLES: Readonly<Record<string, string>> = { expiry: 'tests/e2e/upto-expiry.test.ts' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { intents: { type: 'string', default: '50000' } },
});
const file = TROUBLES[positionals[0] ?? ''];
if (file === undefined || !/^[1-9]\d*$/.test(values.intents)) {
  console.error(`npm run chaos -- <name> [--intents N]; names: ${Object.keys(TROUBLES).join(', ')}`);
  process.exit(64);
}
const { status } = spawnSync('vitest', ['run', '--project', 'e2e', file], {
  stdio: 'inherit',
  env: { ...environmentOfChild(), SVC_CHAOS_INTENTS: values.intents },
});
process.exitCode = status ?? 1;

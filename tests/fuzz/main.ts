// npm run fuzz -- <name> [--requests N] [--seed N]
// The same test that verify runs with a few thousand requests, with as many as asked for.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { environmentOfChild } from '../../tools/config.ts';

const FUZZERS: Readonly<Record<string, { readonly project: string; readonly file: string }>> = {
  api: { project: 'api', file: 'services/api/src/http/fuzz.http.test.ts' },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: 'string', default: '50000' }, seed: { type: 'string' } },
});
const fuzzer = FUZZERS[positionals[0] ?? ''];
if (fuzzer === undefined || !/^\d+$/.test(values.requests) || !/^\d*$/.test(values.seed ?? '')) {
  console.error(`npm run fuzz -- <name> [--requests N] [--seed N]; names: ${Object.keys(FUZZERS).join(', ')}`);
  process.exit(64);
}
const { status } = spawnSync('vitest', ['run', '--project', fuzzer.project, fuzzer.file], {
  stdio: 'inherit',
  env: {
    ...environmentOfChild(),
    SVC_FUZZ_REQUESTS: values.requests,
    ...(values.seed !== undefined && { SVC_FUZZ_SEED: values.seed }),
  },
});
process.exitCode = status ?? 1;

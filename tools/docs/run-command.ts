// Runs one documented command in a process group of its own, so that its deadline ends everything it started.
import { spawn } from 'node:child_process';
import { endGroup } from '../process-group.ts';
import type { Command } from './commands.ts';
import { readerEnvironment } from './config.ts';
import { missingLine } from './promised-output.ts';

export type CommandResult =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly reason: string; readonly output: string };

/** How long the pipes may stay open after bash and its group are gone: a process that left the group may hold them. */
const DRAIN_MS = 500;

export async function runCommand(command: Command, cwd: string): Promise<CommandResult> {
  const child = spawn('bash', ['--noprofile', '--norc', '-c', `set -euo pipefail\n${command.script}\n`], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: readerEnvironment(),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const closed = new Promise((resolve) => child.once('close', resolve));

  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(child.pid);
  }, command.timeoutMs);
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
  clearTimeout(timer);
  const leftBehind = !late && endGroup(child.pid);
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
  child.stdout.destroy();
  child.stderr.destroy();

  if (late) return { ok: false, reason: `still running after ${command.timeoutMs / 1_000} s`, output };
  if (exitCode !== 0) return { ok: false, reason: `exit code ${exitCode}`, output };
  if (leftBehind) return { ok: false, reason: 'left processes behind', output };
  const missing = command.prints === undefined ? undefined : missingLine(command.prints, output);
  if (missing !== undefined) return { ok: false, reason: `did not print, in its place: ${missing}`, output };
  return { ok: true, output };
}

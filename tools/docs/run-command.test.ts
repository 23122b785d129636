import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { statOf } from '../process-group.ts';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (script: string, prints?: string, timeoutMs = 10_000) =>
  runCommand({ line: 1, script, timeoutMs, prints }, folder);

test('a command that works and prints what it promised is green', async () => {
  await expect(run('echo one; echo two >&2; pwd', `…${path.basename(folder)}`)).resolves.toMatchObject({ ok: true });
});

test.each([
  ['a command that fails', 'false', 'exit code 1'],
  ['a command that does not exist', 'no-such-command-here', 'exit code 127'],
  ['a failure in the middle of a script', 'false\necho fine', 'exit code 1'],
  ['a failure in the middle of a pipe', 'false | cat', 'exit code 1'],
  ['a variable that is not set', 'echo "$not_set_anywhere"', 'exit code 1'],
])('%s is red', async (_name, script, reason) => {
  await expect(run(script)).resolves.toMatchObject({ ok: false, reason });
});

test('a promise that the output does not keep is red', async () => {
  const result = await run('echo 3 passed', '4 passed');
  expect(result).toMatchObject({ ok: false, reason: 'did not print, in its place: 4 passed' });
});

test('a command past its time is ended with everything it started', async () => {
  const result = await run('sleep 60 & echo $!; wait', undefined, 300);
  expect(result).toMatchObject({ ok: false, reason: 'still running after 0.3 s' });
  await vi.waitFor(() => expect(isAlive(result.output)).toBe(false));
});

test('a command that leaves a process behind is red, and the process is ended', async () => {
  const result = await run('sleep 60 >/dev/null 2>&1 & echo $!');
  expect(result).toMatchObject({ ok: false, reason: 'left processes behind' });
  await vi.waitFor(() => expect(isAlive(result.output)).toBe(false));
});

test('a command sees what the shell of a reader has: no variables of npm and no tools of node_modules', async () => {
  const result = await run(
    'env | grep -i ^npm_ && exit 1; echo "$PATH" | grep node_modules/ && exit 1; echo clean',
    'clean',
  );
  expect(result).toMatchObject({ ok: true });
});

test('a child that has ended but is not reaped yet is not left behind', async () => {
  await expect(run('for i in 1 2 3 4 5 6 7 8; do (true &) ; done; sleep 0.05')).resolves.toMatchObject({ ok: true });
});

/** Ended processes stay visible until they are reaped, and how soon that is belongs to the machine. */
function isAlive(pid: string): boolean {
  const { state } = statOf(pid.trim());
  return state !== undefined && state !== 'Z' && state !== 'X';
}

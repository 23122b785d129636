import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { runServices } from './run-services.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-services-'));
afterAll(() => rmSync(folder, { recursive: true }));

function service(name: string, script: string) {
  const entry = path.join(folder, `${name}.mjs`);
  writeFileSync(entry, script);
  return { name, entry, env: {} };
}
const pidFile = (name: string) => path.join(folder, `${name}.pid`);
const waits = (name: string, onStop: string) =>
  service(
    name,
    `import { writeFileSync } from 'node:fs';
     process.on('SIGTERM', () => { ${onStop} });
     setInterval(() => {}, 1000);
     writeFileSync(${JSON.stringify(pidFile(name))}, String(process.pid));`,
  );
const options = { stdio: 'ignore' } as const;
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const pidOf = (name: string) =>
  vi.waitFor(async () => {
    const { readFileSync } = await import('node:fs');
    const pid = Number(readFileSync(pidFile(name), 'utf8'));
    expect(pid).toBeGreaterThan(0);
    return pid;
  }, 5_000);

test('the exit code of a service that ends by itself is told', async () => {
  const services = runServices([service('fails', 'process.exit(7)')], options);
  expect(await services.ended).toEqual({ name: 'fails', exitCode: 7 });
  await services.stop();
});

test('services are asked to stop, and one that does not listen is ended', async () => {
  const services = runServices([waits('polite', 'process.exit(0)'), waits('deaf', '')], { ...options, graceMs: 500 });
  const pids = [await pidOf('polite'), await pidOf('deaf')];
  await services.stop();
  expect(pids.map(alive)).toEqual([false, false]);
});

test('a service does not outlive a command that was killed', async () => {
  const { entry } = waits('orphan', 'process.exit(0)');
  const module = fileURLToPath(new URL('run-services.ts', import.meta.url));
  const script = `import { runServices } from ${JSON.stringify(module)};
    runServices([{ name: 'orphan', entry: ${JSON.stringify(entry)}, env: {} }], { stdio: 'ignore' });`;
  const command = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
  const pid = await pidOf('orphan');
  command.kill('SIGKILL');
  await once(command, 'exit');
  await vi.waitFor(() => expect(alive(pid)).toBe(false), 5_000);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '@svc-pay/postgres/server';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runSvc, svcEnvironment } from '../testing/run-svc.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

test('start api runs the API until it is told to stop, and ends with it', async () => {
  const { url } = await createTestDatabase();
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN, 'start', 'api', '--json'], {
    env: { PATH: '/usr/bin:/bin', ...svcEnvironment(url), SVC_API_PORT: String(port), SVC_API_METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status;
  await vi.waitFor(async () => expect(await ready()).toBe(200), 30_000);
  child.kill('SIGTERM');
  const [exitCode] = await once(child, 'close');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ service: 'api', exitCode: 0 });
  await expect(ready()).rejects.toThrow('fetch failed');
});

test('a service that ends by itself is a failure, with its own words above', async () => {
  const { exitCode, stdout, stderr } = await runSvc({ SVC_API_PORT: 'canary' }, 'start', 'api');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('SVC_API_PORT must be');
  expect(stderr).toContain('api ended by itself with exit code 78');
  expect(stderr).not.toContain('canary');
});

test('start all runs every service, and when one ends by itself all do', async () => {
  const { exitCode, stderr } = await runSvc({ SVC_API_PORT: 'canary' }, 'start', 'all');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/(api|settlement|webhooks) ended by itself with exit code 78/);
});

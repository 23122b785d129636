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

test('start admin runs the admin service, which names what it lacks', async () => {
  const { exitCode, stderr } = await runSvc({}, 'start', 'admin');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('SVC_SEAL_KEY is missing');
  expect(stderr).toContain('admin ended by itself with exit code 78');
});

test('start all runs every service, and when one ends by itself all do', async () => {
  const { exitCode, stderr } = await runSvc({ SVC_API_PORT: 'canary' }, 'start', 'all');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/(api|settlement|webhooks) ended by itself with exit code 78/);
});

test.each([
  ['beside a live network', {}, 'eip155:8453'],
  ['when it can’t tell, because settings of the command are wrong', { SVC_ADMIN_URL: 'http://a' }, 'SVC_ADMIN_URL'],
])('start all refuses %s, and nothing starts', async (_, wrong, said) => {
  const setup = { processor: `0x${'52'.repeat(20)}`, processorVersion: '1.3.0', ready: true, rpcUrls: ['http://a'] };
  const SVC_NETWORKS = JSON.stringify({ 'eip155:84532': setup, 'eip155:8453': setup });
  const { exitCode, stdout, stderr } = await runSvc({ SVC_NETWORKS, SVC_API_PORT: 'canary', ...wrong }, 'start', 'all');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain(said);
  expect(stderr).not.toContain('SVC_API_PORT');
});

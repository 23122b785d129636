// The two programs of docs/integrate/first-webhook.md, run as a reader would run them.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(path.join(root, 'docs/integrate/first-webhook.md'), 'utf8');
const [receiver = '', sender = ''] = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program = '']) => program);

test('the page’s receiver answers the page’s sender as the page says', { timeout: 30_000 }, async () => {
  // Inside the repository, because a program finds its packages from where it lies.
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(path.join(root, '.cache/first-webhook-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const run = (file: string, program: string, secret: string) => {
    writeFileSync(path.join(folder, file), program);
    const env = { PORT: String(port), WEBHOOK_SECRET: secret };
    return recorded(spawn(process.execPath, [path.join(folder, file)], { env }));
  };
  const receiving = run('receiver.mjs', receiver, 'sk_test_page');
  onTestFinished(() => void receiving.child.kill());
  await receiving.printed('listening');

  for (let time = 0; time < 2; time += 1) {
    expect(await run('send.mjs', sender, 'sk_test_page').ended).toBe('200 {"received":true}\n');
  }
  expect(await run('send.mjs', sender, 'sk_test_other').ended).toBe('400 {"error":"signature_mismatch"}\n');
  await receiving.printed('signature_mismatch: ');
  expect(receiving.output().match(/not for us: hello/g)).toHaveLength(1);
});

function recorded(child: ChildProcess) {
  let output = '';
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  child.on('close', () => resolve(output));
  const printed = async (text: string) => {
    while (!output.includes(text)) {
      if (child.exitCode !== null) throw new Error(`ended without printing ${text}:\n${output}`);
      await new Promise((again) => setTimeout(again, 20));
    }
  };
  return { child, ended, printed, output: () => output };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => void server.close(closed));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

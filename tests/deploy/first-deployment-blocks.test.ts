import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readPage } from './page-blocks.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/operate/first-deployment.md');
const { blocks } = readPage(readFileSync(PAGE, 'utf8'));
const functionsOf = (name: string) => {
  const { script = '' } = blocks.find((block) => block.script.includes(`${name}() {`)) ?? {};
  return script.replaceAll(/^for [^;]*; do\n.*\ndone$|^cd .*$/gm, '');
};
const SCRIPT = `${functionsOf('wait_for')}\n${functionsOf('ask')}\nsleep() { :; }\n`;

/** Waits three times at most for a node that answers like this, and prints no address of a node. */
async function funded(status: number, body: string): Promise<boolean> {
  const node = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  onTestFinished(() => void node.close());
  await once(node, 'listening');
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}/?a=1&key=b`;
  const script = `RPC_URL='${url}'\n${SCRIPT}wait_for 3 more_than_zero eth_getBalance '"0x1"'\n`;
  const shell = spawn('bash', ['--norc', '-c', script], { stdio: 'ignore' });
  const [exitCode] = await once(shell, 'close');
  return exitCode === 0;
}

test.each([
  ['a balance', 200, '{"result":"0x2386f26fc10000"}', true],
  ['a word with a balance', 200, `{"result":"0x${'0'.repeat(62)}0a"}`, true],
  ['nothing', 200, '{"result":"0x0"}', false],
  ['a word of zeros', 200, `{"result":"0x${'0'.repeat(64)}"}`, false],
  ['an error of the node', 200, '{"error":{"code":-32005}}', false],
  ['too many requests', 429, '{"result":"0x1"}', false],
  ['no JSON', 200, '<html>', false],
])('the page takes %s for what it is, and does not wait for ever', async (_, status, body, expected) => {
  expect(await funded(status, body)).toBe(expected);
});

test('every block that runs more than one command that can fail ends at the first failure', () => {
  for (const { script, line } of blocks.filter((block) =>
    /^svc contracts|podman (?:run|load)|svc migrate/m.test(block.script),
  ))
    expect(script, `line ${line}`).toMatch(/^\(\n {2}set -e\n/m);
});

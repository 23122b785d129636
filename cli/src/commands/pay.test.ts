import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-pay-'));
afterAll(() => rmSync(folder, { recursive: true }));
const OFFER = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '10000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: `0x${'11'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  extra: { name: 'USDC', version: '2' },
};

/** A seller on this machine that takes any payment, and a store of its own. */
async function sellerOf(goods: Uint8Array | string, onPaid: () => void = () => {}) {
  const payments: string[] = [];
  const challenge = Buffer.from(JSON.stringify({ x402Version: 2, accepts: [OFFER] })).toString('base64');
  const server = createServer((request, response) => {
    const payment = request.headers['payment-signature'];
    if (typeof payment !== 'string') return response.writeHead(402, { 'payment-required': challenge }).end('{}');
    payments.push(payment);
    onPaid();
    return response.end(goods);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const environment = {
    SVC_AGENT_KEY: `0x${'01'.repeat(32)}`,
    SVC_AGENT_STORE: mkdtempSync(path.join(folder, 'store-')),
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, payments, environment };
}

test('an answer that has no place to be written to is not paid for', async () => {
  const { url, payments, environment } = await sellerOf('goods');
  const output = path.join(folder, 'no', 'such', 'file');
  const { exitCode, document } = await askSvc(environment, 'pay', url, '--max', '0.10', '--output', output);
  expect([exitCode, document]).toMatchObject([1, { error: 'output_failed' }]);
  expect(payments).toEqual([]);
});

test('a paid answer that can’t be written any more is printed, byte for byte, and the command fails', async () => {
  const gone = path.join(folder, 'gone');
  const output = path.join(gone, 'file');
  const sell = async (goods: Uint8Array | string) => {
    mkdirSync(gone);
    return sellerOf(goods, () => rmSync(gone, { recursive: true }));
  };
  const text = await sell('goods');
  const called = await callSvc(text.environment, 'pay', text.url, '--max', '0.10', '--output', output);
  expect(called).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('can’t be written (ENOENT)') });
  expect(called.stdout).toMatch(/^goods\nPaid 0\.01 to /);
  const bytes = await sell(Uint8Array.of(0xff, 0x00, 0x80));
  const { exitCode, document } = await askSvc(bytes.environment, 'pay', bytes.url, '--max', '0.10', '--output', output);
  const body = 'data:application/octet-stream;base64,/wCA';
  expect([exitCode, document]).toMatchObject([1, { status: 200, body, paid: { amount: '0.01' } }]);
});

test('a file is replaced by the answer, and left alone when nothing is bought', async () => {
  const { url, environment } = await sellerOf('goods');
  const output = path.join(folder, 'answer');
  const buy = (max: string) => callSvc(environment, 'pay', url, '--max', max, '--output', output);
  expect(await buy('0.001')).toMatchObject({ exitCode: 1 });
  expect(existsSync(output)).toBe(false);
  expect(await buy('0.10')).toMatchObject({ exitCode: 0 });
  expect(await buy('0.001')).toMatchObject({ exitCode: 1 });
  expect(readFileSync(output, 'utf8')).toBe('goods');
});

test('one idempotency key buys one request: another body under it is refused', async () => {
  const { url, payments, environment } = await sellerOf('goods');
  const buy = (data: string) =>
    askSvc(environment, 'pay', url, '--max', '0.10', '--idempotency-key', 'order-7', '--data', data);
  expect(await buy('{"at":1}')).toMatchObject({ exitCode: 0 });
  expect(await buy('{"at":2}')).toMatchObject({ exitCode: 1, document: { error: 'invalid_request' } });
  expect(await buy('{"at":1}')).toMatchObject({ exitCode: 0, document: { paid: { isRepeat: true } } });
  expect(new Set(payments).size).toBe(1);
});

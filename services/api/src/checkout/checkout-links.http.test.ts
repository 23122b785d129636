// Where the checkout page hands its own address on, for an API that knows no public address of its own.
import { expect, test } from 'vitest';
import { CREATE, call } from '../testing/call.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';

const api = await startPayableApi({ SVC_API_PUBLIC_URL: '' });
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function pageOf(mode: 'test' | 'live', tokenShortcode: string, headers: Record<string, string> = {}) {
  const key = api.account.keys[mode].secret;
  const made = await call(api, 'POST', CREATE, { key, body: { usdAmount: '12.5', tokenShortcode } });
  const { paymentIntentId, clientSecret } = made.json();
  const url = `/pay/${paymentIntentId}?client_secret=${clientSecret}`;
  return call(api, 'GET', url, { headers: { accept: ACCEPT, ...headers } });
}

test('with live money the secret is put into no QR code and no link that has no TLS', async () => {
  const live = await pageOf('live', 'base_usdc');
  expect(live.body).toContain('data-state="open"');
  expect(live.body).not.toMatch(/class="qr"|class="wallets"|http:\/\/|http%3A/);
  const trial = await pageOf('test', 'anvil_usdc');
  expect(trial.body).toMatch(/class="qr"/);
});

test('a host that nobody has makes no large code, and no error', async () => {
  for (const length of [400, 2_500]) {
    const { statusCode, body } = await pageOf('test', 'anvil_usdc', { host: `${'a'.repeat(length)}.example` });
    expect(statusCode).toBe(200);
    expect(body).not.toContain('class="qr"');
  }
});

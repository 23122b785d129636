import { describe, expect, test } from 'vitest';
import { evmWallet } from '../evm/evm-wallet.ts';
import { offered, refused, SAMPLE, settled } from '../testing/fake-service.ts';
import { fakeWallet, refusal } from '../testing/fake-wallet.ts';
import { payWorld } from '../testing/pay-world.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'base_usdc' } as const;
const message = 'base_usdc is a live token and this is a test key; use anvil_usdc, or a live key.';
const answers = { intent: [refused(422, 'token_unknown', { message, requestId: 'req_7' })] };

test('in test mode the console gets the code, the service’s reason and the address that explains it', async () => {
  const { pay, failure, warned } = payWorld({ answers });
  const error = await failure(pay.createPayment(REQUEST));
  expect(warned).toEqual([
    `SVC Pay, test mode: token_unknown: ${message} (req_7) https://pay.example/reference/errors#token_unknown`,
  ]);
  // The payer is not told what only the developer understands.
  expect(error.message).not.toContain('test key');
});

test('in live mode the console gets nothing', async () => {
  const { pay, failure, warned } = payWorld({ answers, client: { publishableKey: 'pk_live_x' } });
  await failure(pay.createPayment(REQUEST));
  expect(warned).toEqual([]);
});

test('a refused signature is explained by the catalogue when the service gave no sentence', async () => {
  const { pay, failure, warned } = payWorld({
    answers: { intent: [offered(SAMPLE)], settle: [settled('failed', { error: 'recipient_mismatch' })] },
  });
  await failure(pay.createPayment(REQUEST));
  expect(warned).toHaveLength(1);
  expect(warned[0]).toMatch(/recipient_mismatch: .*https:\/\/pay\.example\/reference\/errors#recipient_mismatch$/);
});

describe('an end that somebody chose is no news', () => {
  test('the payer who does not sign', async () => {
    const provider = fakeWallet({ eth_signTypedData_v4: () => Promise.reject(refusal()) });
    const { pay, failure, warned } = payWorld({ answers: { intent: [offered(SAMPLE)] }, provider });
    expect((await failure(pay.createPayment(REQUEST))).code).toBe('signature_refused');
    expect(warned).toEqual([]);
  });
  test('the page that stops it', async () => {
    const { pay, failure, warned } = payWorld({ wallet: evmWallet({ provider: fakeWallet() }) });
    expect((await failure(pay.createPayment(REQUEST, { signal: AbortSignal.abort() }))).code).toBe('aborted');
    expect(warned).toEqual([]);
  });
});

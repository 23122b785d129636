import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sdkPage } from './sdk-page.ts';

test('the SDK page shows the types as they are', () => {
  expect(readFileSync('docs/reference/sdk.md', 'utf8')).toBe(sdkPage());
});

test('every name has its declaration, and no body of a function is shown', () => {
  const page = sdkPage();
  for (const name of ['createSvcPay', 'SvcPayError', 'TransactionDetail', 'evmWallet', 'PayerWallet']) {
    expect(page).toContain(`### ${name}\n`);
  }
  expect(page).not.toMatch(/super\(|return /);
});

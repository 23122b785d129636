import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SDK_PAGES, sdkPage } from './sdk-page.ts';

test.each(Object.entries(SDK_PAGES))('%s shows the types as they are, and no body of a function', (page, plan) => {
  const text = sdkPage(plan);
  expect(readFileSync(page, 'utf8')).toBe(text);
  expect(text).not.toMatch(/super\(|return /);
});

test.each([
  ['docs/reference/sdk.md', ['createSvcPay', 'SvcPayError', 'TransactionDetail', 'evmWallet', 'PayerWallet']],
  ['docs/reference/sdk-server.md', ['createSvcPay', 'CallFailure', 'Endpoints', 'orThrow', 'webhookRoute']],
  ['docs/reference/sdk-x402.md', ['createFacilitator', 'SellerOptions', 'charge', 'createProtect', 'RouteTerms']],
])('%s has every name with its declaration', (page, names) => {
  const text = readFileSync(page, 'utf8');
  for (const name of names) expect(text).toContain(`### ${name}\n`);
});

test('every entry of a package is on its page', () => {
  for (const { package: folder, entries } of Object.values(SDK_PAGES)) {
    const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
      exports: Record<string, string>;
    };
    expect(Object.values(entries)).toEqual(Object.values(exports).map((file) => file.replace('./', '')));
  }
});

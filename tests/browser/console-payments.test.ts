// What people do with payments in the console, on the whole service: clicked in the page, carried out on the chain, and found
// in the audit record under the person's name.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { onePayer, usdcOf } from '../e2e/follow-payment.ts';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { type FinalPayment, finalPayment } from '../e2e/refund-shop.ts';
import { openEndpoint } from '../e2e/webhook-receiver.ts';
import { fundedWallet } from './chain-wallets.ts';
import { freshCheck } from './console-browser.ts';
import {
  authorized,
  type ConsoleShop,
  expectAudit,
  memberOf,
  openConsoleShop,
  openPage,
  payOtherwise,
  QUICK,
  sendByHand,
} from './console-shop.ts';
import { type ConsolePerson, consoleWorld } from './console-world.ts';
import { installWallets, refuse } from './test-wallet.ts';

const world = await consoleWorld(QUICK);
const SLOW = { timeout: 30_000 };
let shop: ConsoleShop;
let owner: ConsolePerson;
let paid: FinalPayment;
let transactionId: string;

beforeAll(async () => {
  shop = await openConsoleShop(world);
  const eventTypes = ['payment.created', 'payment.completed', 'payment.updated', 'payment.refunded'];
  await openEndpoint(world, { eventTypes, shop });
  [owner, paid] = await Promise.all([memberOf(world, shop, 'owner'), finalPayment(world, shop)]);
  const { body } = await askApi(`/sdk/payments/${paid.paymentId}`);
  transactionId = String((JSON.parse(body) as { transactionId: unknown }).transactionId);
});
// The checkout page asks the public node of the local chain, which its policy refuses and nobody runs.
afterEach(() => expect(world.complaints.splice(0).filter((text) => !text.includes('//127.0.0.1:8545/'))).toEqual([]));
afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

/** As the merchant's own server reads it. */
async function askApi(path: string): Promise<{ readonly body: string; readonly headers: Headers }> {
  const response = await fetch(`${world.apiUrl}${path}`, { headers: { authorization: `Bearer ${shop.secretKey}` } });
  return { body: await response.text(), headers: response.headers };
}
const paymentPage = (person: ConsolePerson, intentId: string) => openPage(person, `/payments/${intentId}`);
const stateOf = (page: Page, word: string) => page.locator('h1 .badge', { hasText: word }).waitFor(SLOW);
const timelineOf = async (page: Page) => page.locator('ol h3').allInnerTexts();

test('a payment is found by its id, its intent’s id, its transaction and its payer, and each filter shows or hides it', async () => {
  const page = await openPage(owner, '/payments');
  const find = async (text: string) => {
    await page.getByRole('searchbox', { name: 'Search payments' }).fill(text);
    await page.keyboard.press('Enter');
  };
  for (const id of [paid.paymentId, paid.paymentIntentId]) {
    await find(id);
    await page.waitForURL(`**/payments/${paid.paymentIntentId}`);
    await page.goBack();
    await page.getByRole('searchbox').waitFor();
  }
  const rows = page.locator('[data-row]');
  for (const text of [transactionId, paid.payer.address]) {
    await find(text);
    await page.waitForURL(/\?(?:transactionId|payer)=/);
    await expect.poll(() => rows.count()).toBe(1);
  }
  await page.getByRole('button', { name: 'Clear all' }).click();
  for (const [label, fits, other] of [
    ['Status', 'completed', 'failed'],
    ['Network', 'eip155:31337', undefined],
    ['Token', 'anvil_usdc', 'anvil_vol'],
  ] as const) {
    await page.getByLabel(label, { exact: true }).selectOption(fits);
    await expect.poll(() => rows.count(), SLOW).toBe(1);
    if (other === undefined) continue;
    await page.getByLabel(label, { exact: true }).selectOption(other);
    await page.getByText('Nothing matches these filters').waitFor();
  }
  await find(`0x${'00'.repeat(20)}`);
  await page.getByText('Nothing matches these filters').waitFor();
});

test('the page of a settled payment tells everything from the intent to the webhook, and its books to the unit', async () => {
  const page = await paymentPage(owner, paid.paymentIntentId);
  await stateOf(page, 'Paid');
  await page.getByText('its block is final').first().waitFor(SLOW);
  await page.getByText('Your server took the event').first().waitFor(SLOW);
  const titles = await timelineOf(page);
  for (const title of [
    'You asked for $1.50',
    'The payer signed 1.50 USDC',
    'The payment of 1.50 USDC began',
    'A relayer took it',
    'The transaction was sent',
    'Every unit is booked',
    'Its block is final',
    'Event: a payment is paid',
  ])
    expect(titles).toContain(title);
  const { body } = await askApi(`/sdk/payment-intents/${paid.paymentIntentId}/timeline`);
  const { entries } = JSON.parse(body) as {
    entries: { kind: string; entries: { account: string; amount: string; asset: string }[] }[];
  };
  const booked = entries.find(({ kind }) => kind === 'booked')?.entries ?? [];
  const token = booked.filter(({ asset }) => asset.toLowerCase() === world.chain.tokens.usdc.toLowerCase());
  expect(token.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(0n);
  const step = page.locator('li', { has: page.getByRole('heading', { name: 'Every unit is booked' }) });
  const shown = await step.locator('li').allInnerTexts();
  for (const { account, amount } of token) {
    const line = `${account.replaceAll('_', ' ')} ${usd(amount)} USDC`;
    expect(shown.map((text) => text.split(/\s+/).join(' '))).toContain(line);
  }
  expect(await page.getByRole('link', { name: 'Explorer' }).first().getAttribute('href')).toBe(
    `https://explorer.example/tx/${transactionId}`,
  );
});

test('the page of a settled payment fits on a phone', async () => {
  const page = await paymentPage(owner, paid.paymentIntentId);
  await page.getByText('Your server took the event').first().waitFor(SLOW);
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  onTestFinished(() => page.setViewportSize({ width, height }));
  const tooWide = await page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > 390)
      .map((element) => element.outerHTML.slice(0, 300)),
  );
  expect(tooWide).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

/** Six decimals without trailing zeros, at least two of them. */
function usd(atomic: string): string {
  const [sign, digits] = atomic.startsWith('-') ? ['−', atomic.slice(1)] : ['', atomic];
  const text = digits.padStart(7, '0');
  const fraction = text.slice(-6).replace(/0+$/, '').padEnd(2, '0');
  return `${sign}${text.slice(0, -6)}.${fraction}`;
}

test('a part of an authorization is charged, another authorization is released, and the payers pay that much', async () => {
  const [payer, spared] = [await onePayer(world), await onePayer(world)];
  const before = await usdcOf(world, payer.address);
  const intents = [await authorized(world, shop, payer), await authorized(world, shop, spared)] as const;
  const page = await paymentPage(owner, intents[0]);
  await page.getByRole('button', { name: 'Charge' }).click();
  await page.getByLabel('Amount in dollars').fill('1.25');
  await page.getByRole('button', { name: 'Charge $1.25' }).click();
  await stateOf(page, 'Paid');
  expect(await usdcOf(world, payer.address)).toBe(before - 1_250_000n);
  await paymentPage(owner, intents[1]);
  await page.getByRole('button', { name: 'Release' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await stateOf(page, 'Canceled');
  await page.getByText('The authorization was released: the payer owes nothing.').first().waitFor();
  expect(await usdcOf(world, spared.address)).toBe(before);
  await expectAudit(world, owner, `upto.settled ${intents[0]}`, `upto.released ${intents[1]}`);
});

/** The amount is typed into the open sheet; the wallet in the page answers. */
async function refund(page: Page, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByLabel('Amount in USDC').fill(amount);
  await page.getByLabel('Reason').fill('A cup was broken');
  await page.getByRole('button', { name: `Refund ${amount} USDC` }).click();
}
const refundIdOf = async (page: Page) =>
  (await page
    .locator('section', { hasText: 'Refunds' })
    .locator('button[title^="re_"]')
    .last()
    .getAttribute('title')) ?? '';

test('a refund asks for a passkey, is signed by the merchant’s wallet in the page, and reaches the payer', async () => {
  const [payerHad, merchantHad] = [
    await usdcOf(world, paid.payer.address),
    await usdcOf(world, shop.wallet.account.address),
  ];
  await world.outdateCheck(owner.person.id);
  const page = await paymentPage(owner, paid.paymentIntentId);
  await refund(page, '0.50');
  await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
  expect(shop.wallet.asked).not.toContain('eth_signTypedData_v4');
  await freshCheck(page);
  await page.getByRole('heading', { name: 'A refund of 0.50 USDC: refunded' }).waitFor(SLOW);
  expect(await usdcOf(world, paid.payer.address)).toBe(payerHad + 500_000n);
  expect(await usdcOf(world, shop.wallet.account.address)).toBe(merchantHad - 500_000n);
  const id = await refundIdOf(page);
  await expectAudit(world, owner, `refund.prepared ${id}`, `refund.submitted ${id}`);
});

test('a refund that the wallet declines moves nothing, and is canceled in the page', async () => {
  const sign = shop.wallet.answers['eth_signTypedData_v4'];
  shop.wallet.answers['eth_signTypedData_v4'] = refuse;
  onTestFinished(() => {
    if (sign !== undefined) shop.wallet.answers['eth_signTypedData_v4'] = sign;
  });
  const had = await usdcOf(world, paid.payer.address);
  const page = await paymentPage(owner, paid.paymentIntentId);
  await refund(page, '0.25');
  await page.getByText('You declined in your wallet. Nothing was sent.').waitFor(SLOW);
  await page.getByRole('button', { name: 'Go back' }).click();
  const cancel = page.getByRole('button', { name: 'Cancel refund' });
  await cancel.click();
  await page.getByRole('button', { name: 'Cancel the refund' }).click();
  await cancel.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'A refund of 0.25 USDC: canceled' }).waitFor(SLOW);
  expect(await usdcOf(world, paid.payer.address)).toBe(had);
  const id = await refundIdOf(page);
  await expectAudit(world, owner, `refund.prepared ${id}`, `refund.canceled ${id}`);
});

test('less than asked waits for the merchant and is accepted; with another policy the next counts by itself', async () => {
  const intentId = await payOtherwise(world, shop, 750_000n);
  const page = await paymentPage(owner, intentId);
  await stateOf(page, 'Other amount');
  await page.getByText('Less was paid than asked for.').first().waitFor();
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
  await stateOf(page, 'Paid');
  await openPage(owner, '/other-amounts');
  await page.getByLabel('Less than asked for').selectOption('accept');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. It counts for money that arrives from now on.').waitFor();
  await paymentPage(owner, await payOtherwise(world, shop, 600_000n));
  await stateOf(page, 'Paid');
  const { rows } = await world.database.pool.query<{ id: string }>('select id from svc.payments where intent_id = $1', [
    intentId,
  ]);
  await expectAudit(world, owner, `payment.accepted ${rows[0]?.id}`, `account.mismatch_set ${shop.accountId}`);
});

test.each([
  ['payments', 'csv'],
  ['ledger', 'jsonl'],
] as const)('the export of %s as %s is what the API answers', async (what, format) => {
  const page = await openPage(owner, '/payments');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByLabel('What').selectOption(what);
  await page.getByLabel('Format').selectOption(format);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`test-${what}.${format}`);
  const saved = readFileSync(await download.path(), 'utf8');
  const { body } = await askApi(`/sdk/exports/${what}?format=${format}&limit=5000`);
  expect(saved).toBe(body);
  expect(saved).toContain(paid.paymentId);
});

test('a payment link is made in the page, opened by a payer and paid, and the page that follows it tells so', async () => {
  const page = await openPage(owner, '/new');
  await page.getByLabel('Amount in dollars').fill('2');
  await page.getByLabel('Description').fill('A pot of tea');
  await page.getByLabel('Token').selectOption('anvil_usdc');
  await page.getByRole('button', { name: 'Make a link for $2.00' }).click();
  const link = (await page.locator('button[title*="client_secret="]').getAttribute('title')) ?? '';
  expect(link.startsWith(`${world.apiUrl}/pay/pi_`)).toBe(true);
  const { context, page: checkout } = await world.openBrowser();
  await installWallets(context, [await fundedWallet(world, 5_000_000n)]);
  await checkout.goto(link);
  await checkout.getByText('A pot of tea').first().waitFor();
  await checkout.locator('svc-pay-button .press').click();
  await checkout.locator('main[data-state="paid"]').waitFor(SLOW);
  await page.getByRole('link', { name: 'Follow it' }).click();
  await stateOf(page, 'Paid');
  await expectAudit(world, owner, `intent.created ${/pi_\w+/.exec(link)?.[0]}`);
});

const ACTIONS = ['Refund', 'Charge', 'Release', 'Accept', 'Cancel', 'Cancel refund'];
const buttonsOf = async (page: Page) => {
  await page.locator('ol h3').first().waitFor();
  await page.locator('dl').first().waitFor();
  return (await page.getByRole('button').allInnerTexts()).filter((text) => ACTIONS.includes(text));
};

test('support sees payments and refunds them, and nothing else is offered to them or done for them', async () => {
  const support = await memberOf(world, shop, 'support');
  const upto = await authorized(world, shop, await onePayer(world));
  const held = { paymentIntentId: upto, settledAmountUsd: '1' };
  const page = await paymentPage(support, upto);
  expect(await buttonsOf(page)).toEqual([]);
  expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts()).not.toContain(
    'API keys',
  );
  for (const [path, body] of [
    ['/sdk/payments/x402/upto/settle', held],
    ['/sdk/payments/x402/upto/release', { paymentIntentId: upto }],
    [`/sdk/payments/intents/${upto}/cancel`, {}],
    [`/sdk/payments/${paid.paymentId}/accept`, {}],
    ['/sdk/public/payments/intents/x402', { usdAmount: '1' }],
  ] as const)
    expect(await sendByHand(support, path, body)).toMatchObject({ status: 403, body: { error: 'role_missing' } });
  const had = await usdcOf(world, paid.payer.address);
  await paymentPage(support, paid.paymentIntentId);
  await expect.poll(() => buttonsOf(page)).toEqual(['Refund']);
  await refund(page, '0.10');
  await page.getByRole('heading', { name: 'A refund of 0.10 USDC: refunded' }).waitFor(SLOW);
  expect(await usdcOf(world, paid.payer.address)).toBe(had + 100_000n);
  const id = await refundIdOf(page);
  await expectAudit(world, support, `refund.prepared ${id}`, `refund.submitted ${id}`);
});

test('a viewer sees the payment and no action, and the same requests by hand are refused and change nothing', async () => {
  const viewer = await memberOf(world, shop, 'viewer');
  const page = await paymentPage(viewer, paid.paymentIntentId);
  await stateOf(page, 'Paid');
  expect(await buttonsOf(page)).toEqual([]);
  const before = await world.audit();
  const refundId = await refundIdOf(page);
  for (const path of [
    `/sdk/payments/${paid.paymentId}/refunds`,
    `/sdk/refunds/${refundId}/submit`,
    `/sdk/refunds/${refundId}/cancel`,
    '/sdk/payments/x402/upto/settle',
    '/sdk/payments/x402/upto/release',
    `/sdk/payments/${paid.paymentId}/accept`,
    '/sdk/public/payments/intents/x402',
  ])
    expect(await sendByHand(viewer, path)).toMatchObject({ status: 403, body: { error: 'role_missing' } });
  expect(await world.audit()).toHaveLength(before.length);
});

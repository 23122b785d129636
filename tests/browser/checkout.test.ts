// The checkout page: readable by everybody in every state, told when the intent changes, and paid by its link alone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { settleUpto } from '../e2e/upto-calls.ts';
import { fundedWallet as walletWith } from './chain-wallets.ts';
import { checkoutWorld, DESK, type PayLink, PHONE } from './checkout-world.ts';
import { decodeCode } from './decode-code.ts';
import { type TestWallet, testWallet } from './test-wallet.ts';

const { world, newLink, open, picture } = checkoutWorld();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const query = (text: string, values: readonly unknown[]) => world().database.pool.query(text, [...values]);
const setStatus = (status: string) => (link: PayLink) =>
  query('update svc.intents set status = $2 where id = $1', [link.id, status]);

async function findings(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(() => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return axe.run({ resultTypes: ['violations'] });
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

async function payElsewhere(link: PayLink): Promise<void> {
  const { page, reaches } = await open(link.url, { wallets: [await fundedWallet(20_000_000n)] });
  await page.locator('svc-pay-button .press').click();
  await reaches('paid');
}

async function overpay(link: PayLink): Promise<void> {
  await payElsewhere(link);
  await query(`update svc.payments set status = 'mismatched', paid_amount = amount + 1 where intent_id = $1`, [
    link.id,
  ]);
  await setStatus('mismatched')(link);
}

const STATES: readonly (readonly [state: string, bring: (link: PayLink) => Promise<unknown>])[] = [
  ['open', async () => {}],
  ['settling', setStatus('processing')],
  ['paid', payElsewhere],
  ['ended', setStatus('canceled')],
  ['mismatch', overpay],
];

test('a part that arrives is noted on a page that stands open, and its button stays', async () => {
  const link = await newLink({});
  const { page, reaches } = await open(link.url);
  await reaches('open');
  await page.locator('svc-pay-button').evaluate((button) => button.setAttribute('data-same', 'yes'));
  await setStatus('mismatched')(link);
  await page.locator('.arrived').waitFor();
  expect(await page.locator('.arrived').innerText()).toContain('it is not paid yet');
  expect(await page.locator('svc-pay-button[data-same=yes]').count()).toBe(1);
});

test.each(STATES)('%s: axe finds nothing, light or dark, and 320 pixels are enough', async (state, bring) => {
  const link = await newLink({ description: 'Two tins of first-flush tea and a porcelain cup, order 1234' });
  await bring(link);
  const desk = ['desk', DESK] as const;
  // Only an open page shows something else on a phone.
  for (const [place, device] of state === 'open' ? [desk, ['phone', PHONE] as const] : [desk]) {
    const { page, reaches, complaints } = await open(link.url, { device: { ...device, reducedMotion: 'reduce' } });
    await reaches(state);
    await picture(page, `${state}-${place}-light`);
    expect(complaints).toEqual([]);
    // The policy of the page refuses scripts of others; a debugger's are none of them.
    await page.evaluate(AXE);
    expect(await findings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await picture(page, `${state}-${place}-dark`);
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    await picture(page, `${state}-${place}-narrow`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
});

test('a link that does not work says so, readable too', async () => {
  const { page, reaches } = await open(`${world().apiUrl}/pay/pi_nothing`);
  await reaches('missing');
  await page.evaluate(AXE);
  expect(await findings(page)).toEqual([]);
  await picture(page, 'missing-desk-light');
});

test('the QR code is the address of the page', async () => {
  const link = await newLink();
  const { page } = await open(link.url);
  expect(await decodeCode(page, '.qr svg')).toBe(link.url);
});

test('the secret leaves the address bar, and a reload still shows the page', async () => {
  const link = await newLink();
  const { page, reaches, asked } = await open(link.url);
  await reaches('open');
  await expect.poll(() => page.url()).toBe(`${world().apiUrl}/pay/${link.id}`);
  await page.reload();
  await reaches('open');
  await expect.poll(() => page.url()).toBe(`${world().apiUrl}/pay/${link.id}`);
  expect(await page.evaluate(() => history.length)).toBe(2);
  expect(asked.filter((url) => !url.startsWith(world().apiUrl) && !url.startsWith('data:'))).toEqual([]);
  const stranger = await open(`${world().apiUrl}/pay/${link.id}`);
  await stranger.reaches('missing');
});

test('a page that is open is told when the intent is being paid, given back or canceled elsewhere', async () => {
  const link = await newLink();
  const { page, reaches } = await open(link.url);
  await reaches('open');
  await setStatus('processing')(link);
  await reaches('settling');
  await setStatus('requires_payment')(link);
  await reaches('open');
  expect(await page.locator('svc-pay-button').getAttribute('api-url')).toBe(`${world().apiUrl}/`);
  await setStatus('canceled')(link);
  await reaches('ended');
  expect(await page.locator('#news').innerText()).toBe('No longer open');
  expect(await page.title()).toMatch(/^No longer open: /);
});

/** Somebody has paid it on chain in time, and the block is not final yet. */
const seenOnChain = (id: string) =>
  query(
    `insert into svc.read_logs (network, transaction_id, log_index, address, block_number, block_hash, event, log, created_at)
     select 'eip155:1', id, 1, '0xaa', 1, '0xbb', 'payment_received',
       jsonb_build_object('intentCode', intent_code::text), now()
     from svc.intents where id = $1`,
    [id],
  );

test('a page whose time is over says not to pay again, and is told when the payment turns up', async () => {
  const link = await newLink();
  await seenOnChain(link.id);
  await query(`update svc.intents set expires_at = now() + interval '2 seconds' where id = $1`, [link.id]);
  const { page, reaches } = await open(link.url);
  await reaches('open');
  await reaches('expired');
  await page.evaluate(AXE);
  expect(await findings(page)).toEqual([]);
  await setStatus('processing')(link);
  await reaches('settling');
});

test('on a phone the page opens in wallets’ own browsers, and inside of one it pays at once', async () => {
  const link = await newLink();
  const plain = await open(link.url, { device: PHONE });
  await plain.reaches('open');
  expect(await plain.page.locator('.wallets a').first().isVisible()).toBe(true);
  expect(await plain.page.locator('.qr').isVisible()).toBe(false);
  expect(await plain.page.locator('svc-pay-button').isVisible()).toBe(false);
  await plain.page.getByText('My wallet is in this browser').click();
  expect(await plain.page.locator('svc-pay-button').isVisible()).toBe(true);
  await plain.page.locator('svc-pay-button .press').click();
  await plain.page.locator('svc-pay-button[state="failed"]').waitFor();
  expect(await plain.page.locator('.wallets a').first().isVisible()).toBe(true);
  const inWallet = await open(link.url, { device: PHONE, wallets: [testWallet('Harbor')] });
  await inWallet.reaches('open');
  await expect.poll(() => inWallet.page.locator('.wallets').isVisible()).toBe(false);
  await picture(inWallet.page, 'open-phone-wallet');
  const desk = await open(link.url);
  expect(await desk.page.locator('.wallets').isVisible()).toBe(false);
  expect(await desk.page.locator('.qr').isVisible()).toBe(true);
});

const balanceOf = ({ account }: TestWallet) => world().chain.balanceOf(world().chain.tokens.usdc, account.address);

const fundedWallet = (atomic: bigint) => walletWith(world(), atomic);

test.each([
  ['desk', DESK],
  ['phone', PHONE],
])('%s: the link alone pays, the chain agrees, and nothing leaves the API’s origin', async (place, device) => {
  const wallet = await fundedWallet(20_000_000n);
  const link = await newLink({ description: 'Two tins of tea' });
  const { page, reaches, asked, complaints } = await open(link.url, { device, wallets: [wallet] });
  await reaches('open');
  await picture(page, `pay-${place}-before`);
  await page.locator('svc-pay-button .press').click();
  await reaches('paid');
  expect(await balanceOf(wallet)).toBe(7_500_000n);
  expect(await page.locator('h1').innerText()).toContain('$12.50');
  expect(await page.locator('dl').innerText()).toContain('12.50 USDC');
  expect(await page.locator('dd a').getAttribute('href')).toMatch(/^https:\/\/explorer\.example\/tx\/0x[0-9a-f]{64}$/);
  await picture(page, `pay-${place}-after`);
  await page.reload();
  await reaches('paid');
  expect(asked.filter((url) => !/^(?:data|blob):/.test(url) && !url.startsWith(world().apiUrl))).toEqual([]);
  // The button asks the network's public node for a balance if the wallet is on another chain; the policy does not let it.
  expect(complaints.filter((text) => !text.includes('//127.0.0.1:8545/'))).toEqual([]);
});

test('a page in which the payer is about to sign gives way when the intent is paid elsewhere', async () => {
  const [slow, quick] = [await fundedWallet(20_000_000n), await fundedWallet(20_000_000n)];
  slow.answers['eth_signTypedData_v4'] = () => new Promise(() => {});
  const link = await newLink();
  const waiting = await open(link.url, { wallets: [slow] });
  await waiting.page.locator('svc-pay-button .press').click();
  await waiting.page.locator('svc-pay-button[state="sign"]').waitFor();
  const paying = await open(link.url, { wallets: [quick], device: PHONE });
  await paying.page.locator('svc-pay-button .press').click();
  await paying.reaches('paid');
  await waiting.reaches('paid');
  expect(await waiting.page.locator('svc-pay-button').count()).toBe(0);
  expect(await balanceOf(slow)).toBe(20_000_000n);
});

test('a cap that is authorized on the phone is authorized on the desk', async () => {
  const link = await newLink({ usdAmount: '5', x402Upto: true });
  const desk = await open(link.url);
  await desk.reaches('open');
  const phone = await open(link.url, { wallets: [await fundedWallet(5_000_000n)], device: PHONE });
  await phone.page.locator('svc-pay-button .press').click();
  await phone.reaches('authorized');
  await desk.reaches('authorized');
  expect(await desk.page.locator('svc-pay-button, .qr').count()).toBe(0);
});

test('a cap is authorized by the link, and the page says what the merchant charged of it', async () => {
  const wallet = await fundedWallet(5_000_000n);
  const link = await newLink({ usdAmount: '5', x402Upto: true });
  const { page, reaches } = await open(link.url, { wallets: [wallet] });
  await reaches('open');
  await page.locator('svc-pay-button .press').click();
  await reaches('authorized');
  await picture(page, 'authorized-desk-light');
  expect(await balanceOf(wallet)).toBe(5_000_000n);
  const charged = await settleUpto(world(), { paymentIntentId: link.id, settledAmount: '1250000' });
  expect(charged.body).toMatchObject({ ok: true });
  await page.reload();
  await reaches('paid');
  expect(await page.locator('h1').innerText()).toContain('1.25 USDC');
  expect(await balanceOf(wallet)).toBe(3_750_000n);
});

import { expect, test } from 'vitest';
import { browserWorld } from './browser-world.ts';
import { acceptance, confirmed, fakeService, INTENT_ID, inEuros, offered } from './fake-service.ts';
import { NEVER, testWallet } from './test-wallet.ts';

const open = browserWorld();
const signatures = (asked: readonly string[]) => asked.filter((method) => method === 'eth_signTypedData_v4').length;
const uptoOffer = offered(acceptance({ scheme: 'upto', maxAmountRequired: '5000000' }));

test('one wallet is gone straight on with, and the service’s word makes it paid', async () => {
  const { press, reaches, states, panel, wallet, heard } = await open();
  expect(await press.innerText()).toBe('Pay $12.50');
  await press.click();
  await reaches('paid');
  expect(await press.innerText()).toBe('Paid $12.50');
  expect(await panel.innerText()).toContain('Transaction 0x7f3a91');
  expect(await states()).toEqual(['finding', 'preparing', 'connect', 'sign', 'sending', 'paid']);
  expect(signatures(wallet.asked)).toBe(1);
  const ends = (await heard()).filter(({ type }) => /completed|failed|mismatched/.test(type));
  expect(ends.map(({ type }) => type)).toEqual(['svc-sdk-transaction-completed']);
});

test('a press while something is going on, and one after it was paid, begin nothing', async () => {
  const { press, reaches, service } = await open({ wallets: [testWallet('Slow', { eth_requestAccounts: NEVER })] });
  await press.dblclick();
  await reaches('connect');
  await press.click({ force: true });
  expect(service.asked.intent).toHaveLength(1);
  const paid = await open();
  await paid.press.click();
  await paid.reaches('paid');
  await paid.press.click({ force: true });
  await paid.page.waitForTimeout(300);
  expect(await paid.press.getAttribute('aria-disabled')).toBe('true');
  expect(paid.service.asked.intent).toHaveLength(1);
});

test('of several wallets the chosen one signs, and the others are asked nothing', async () => {
  const wallets = [testWallet('Fern'), testWallet('Harbor'), testWallet('Lantern')];
  const { page, press, reaches } = await open({ wallets });
  await press.click();
  await reaches('choose-wallet');
  await page.getByRole('button', { name: 'Harbor' }).click();
  await reaches('paid');
  expect(wallets.map(({ asked }) => signatures(asked))).toEqual([0, 1, 0]);
  expect(wallets[0]?.asked).toEqual([]);
});

test('of several tokens that the payer can afford, the chosen one is signed', async () => {
  const { page, press, reaches, service, wallet } = await open({
    service: fakeService({ intent: offered(acceptance(), inEuros) }),
  });
  await press.click();
  await reaches('choose-token');
  expect(await page.getByRole('button', { name: 'EURC' }).innerText()).toBe(
    'E\n11.42 EURC on Base\nBalance 100.00 EURC',
  );
  await page.getByRole('button', { name: 'EURC' }).click();
  await reaches('paid');
  expect(service.asked.settle[0]?.['paymentRequirements']).toEqual(inEuros);
  expect(signatures(wallet.asked)).toBe(1);
});

test('up-to: the window hears svc-x402-upto-submitted once, and nothing is called paid', async () => {
  const { press, reaches, heard, panel, wallet, service } = await open({
    buttons: [{ 'usd-amount': '5', mode: 'upto', order: 'tab-7' }],
    service: fakeService({ intent: uptoOffer, confirm: confirmed }),
  });
  expect(await press.innerText()).toBe('Authorize up to $5.00');
  await press.click();
  await reaches('authorized');
  expect(await panel.innerText()).toMatch(/Nothing was charged yet\..*\$5\.00 at most, until Mar 14, 2031/);
  const submitted = (await heard()).filter(({ type }) => type === 'svc-x402-upto-submitted');
  expect(submitted.map(({ detail }) => detail)).toEqual([
    {
      paymentIntentId: INTENT_ID,
      order: 'tab-7',
      capAmount: '5000000',
      asset: acceptance().asset,
      network: 'eip155:8453',
      payer: wallet.account.address,
      expiresAt: '2031-03-14T15:09:00.000Z',
    },
  ]);
  expect(service.asked.intent[0]).toMatchObject({ x402Upto: true, metadata: { order: 'tab-7' } });
  expect(service.asked.settle).toEqual([]);
});

test('buttons on one page keep to themselves', async () => {
  const wallet = testWallet('Harbor');
  const { page, reaches, heard, states } = await open({
    wallets: [wallet],
    buttons: [
      { 'usd-amount': '1', order: 'a' },
      { 'usd-amount': '2', order: 'b' },
      { 'usd-amount': '5', order: 'c', mode: 'upto' },
    ],
    service: fakeService({
      intent: ({ usdAmount, x402Upto }) => {
        const scheme = x402Upto === true ? 'upto' : 'exact';
        return offered(acceptance({ scheme, maxAmountRequired: `${String(usdAmount)}000000` }));
      },
    }),
  });
  // At once, which no mouse can.
  await page.evaluate(() => {
    const [, second, third] = document.querySelectorAll('svc-pay-button');
    for (const one of [second, third]) one?.shadowRoot?.querySelector<HTMLElement>('.press')?.click();
  });
  await Promise.all([reaches('paid', 1), reaches('authorized', 2)]);
  expect(await page.locator('svc-pay-button').nth(0).getAttribute('state')).toBe('ready');
  const said = (await heard()).filter(({ type }) => type === 'svc-pay-state');
  expect(new Set(said.map(({ detail }) => detail['order']))).toEqual(new Set(['b', 'c']));
  expect((await states()).filter((state) => state === 'paid' || state === 'authorized')).toHaveLength(2);
});

test('German where the page is German, and a merchant’s own words over both', async () => {
  const { page, press, reaches, panel } = await open({ lang: 'de-AT', wallets: [] });
  expect(await press.innerText()).toMatch(/^\$\s12,50 bezahlen$/);
  await press.click();
  await reaches('failed');
  expect(await panel.innerText()).toContain('Es wurde nichts abgebucht.');
  await page.evaluate(() => {
    const button = document.querySelector<HTMLElement & { words?: object }>('svc-pay-button');
    if (button !== null) button.words = { tryAgain: 'Nomoi', problems: { no_wallet: 'Ka Wallet.' } };
  });
  await expect.poll(() => press.innerText()).toBe('Nomoi');
  expect(await panel.innerText()).toContain('Ka Wallet. Es wurde nichts abgebucht.');
});

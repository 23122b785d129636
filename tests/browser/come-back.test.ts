import { expect, test } from 'vitest';
import { browserWorld } from './browser-world.ts';
import { acceptance, fakeService, offered, settled, stands } from './fake-service.ts';
import { NEVER, testWallet } from './test-wallet.ts';

const open = browserWorld();
const signatures = (asked: readonly string[]) => asked.filter((method) => method === 'eth_signTypedData_v4').length;
const underWay = () => fakeService({ settle: settled('processing'), notify: stands('processing') });
const order = [{ 'usd-amount': '12.50', order: '1234' }];

test('a tab closed in mid-payment: the next one goes on with it and signs nothing', async () => {
  const { page, press, reaches, service, wallet, openTab } = await open({ service: underWay(), buttons: order });
  await press.click();
  await reaches('settling');
  await page.close();
  const tab = await openTab();
  await tab.locator('svc-pay-button[state=settling]').waitFor();
  service.answers.notify = stands('completed');
  await tab.locator('svc-pay-button[state=paid]').waitFor();
  expect(signatures(wallet.asked)).toBe(1);
  expect(service.asked.intent).toHaveLength(1);
});

test('an order with a name stays paid after a reload, by the service’s word; without a name the next one may buy', async () => {
  const named = await open({ buttons: order });
  await named.press.click();
  await named.reaches('paid');
  named.service.answers.notify = stands('completed');
  await named.page.reload();
  await named.reaches('paid');
  expect(await named.states()).toEqual(['checking', 'paid']);
  const unnamed = await open();
  await unnamed.press.click();
  await unnamed.reaches('paid');
  await unnamed.page.reload();
  await unnamed.reaches('ready');
});

test('closed before the confirm was heard: the next page learns of the cap, tells it once, and signs nothing', async () => {
  const { page, press, reaches, service, wallet, heard } = await open({
    buttons: [{ 'usd-amount': '5', mode: 'upto', order: 'tab-7' }],
    service: fakeService({
      intent: offered(acceptance({ scheme: 'upto', maxAmountRequired: '5000000', maxTimeoutSeconds: 86_400 })),
      confirm: 'silence',
      notify: stands('requires_payment', { svc_x402_upto_max_amount_atomic: '5000000' }),
    }),
  });
  const submitted = async () => (await heard()).filter(({ type }) => type === 'svc-x402-upto-submitted').length;
  await press.click();
  await reaches('sending');
  await page.reload();
  await reaches('authorized');
  expect(await submitted()).toBe(1);
  await page.reload();
  await reaches('authorized');
  expect(await submitted()).toBe(0);
  expect(signatures(wallet.asked)).toBe(1);
  expect(service.asked.confirm).toHaveLength(1);
});

test('a second tab does not begin what the first one is at', async () => {
  const wallet = testWallet('Harbor', { eth_signTypedData_v4: NEVER });
  const { press, reaches, openTab, service } = await open({ wallets: [wallet], buttons: order });
  await press.click();
  await reaches('sign');
  const tab = await openTab();
  await tab.locator('svc-pay-button .press').click();
  await tab.locator('svc-pay-button[state=elsewhere]').waitFor();
  expect(service.asked.intent).toHaveLength(1);
});

test('taken off the page in mid-flow: everything stops; put back, it knows', async () => {
  const { page, press, reaches, service, wallet } = await open({ service: underWay(), buttons: order });
  await press.click();
  await reaches('settling');
  const markup = await page.evaluate(() => {
    const button = document.querySelector('svc-pay-button');
    const text = button?.outerHTML ?? '';
    button?.remove();
    return text;
  });
  await page.waitForTimeout(100);
  const before = service.asked.notify.length;
  await page.waitForTimeout(2_500);
  expect(service.asked.notify.length).toBe(before);
  service.answers.notify = stands('completed');
  await page.evaluate((text) => document.querySelector('main')?.insertAdjacentHTML('beforeend', text), markup);
  await reaches('paid');
  expect(signatures(wallet.asked)).toBe(1);
});

test('taken off before signing: nothing is sent any more, and it comes back ready', async () => {
  const late = Promise.withResolvers<string>();
  const wallet = testWallet('Harbor', { eth_signTypedData_v4: () => late.promise });
  const { page, press, reaches, service } = await open({ wallets: [wallet], buttons: order });
  await press.click();
  await reaches('sign');
  await page.evaluate(async () => {
    const button = document.querySelector('svc-pay-button');
    button?.remove();
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (button !== null) document.querySelector('main')?.append(button);
  });
  await reaches('ready');
  late.resolve(`0x${'ab'.repeat(65)}`);
  await page.waitForTimeout(200);
  expect(service.asked.settle).toEqual([]);
});

test('moved within the page it goes on', async () => {
  const { page, press, reaches, service } = await open({ service: underWay(), buttons: order });
  await press.click();
  await reaches('settling');
  await page.evaluate(() => {
    const button = document.querySelector('svc-pay-button');
    if (button !== null) document.body.append(button);
  });
  service.answers.notify = stands('completed');
  await reaches('paid');
  expect(service.asked.settle).toHaveLength(1);
});

test('another price before signing calls the old one off', async () => {
  const wallet = testWallet('Harbor', { eth_signTypedData_v4: NEVER });
  const { page, press, reaches, service } = await open({ wallets: [wallet], buttons: order });
  await press.click();
  await reaches('sign');
  await page.evaluate(() => document.querySelector('svc-pay-button')?.setAttribute('usd-amount', '99'));
  await reaches('ready');
  expect(await press.innerText()).toBe('Pay $99.00');
  expect(service.asked.settle).toEqual([]);
});

import { expect, test } from 'vitest';
import { browserWorld } from './browser-world.ts';
import { acceptance, DOWN, fakeService, offered, settled, stands } from './fake-service.ts';
import { passTime, passTimeUntil } from './pass-time.ts';
import { held, NEVER, refuse, testWallet, type WalletAnswers } from './test-wallet.ts';

const open = browserWorld();
const signatures = (asked: readonly string[]) => asked.filter((method) => method === 'eth_signTypedData_v4').length;

test.each<[string, WalletAnswers, RegExp]>([
  ['a refused signature', { eth_signTypedData_v4: refuse }, /You did not confirm in the wallet/],
  ['a refused connection', { eth_requestAccounts: refuse }, /allow the connection/],
  ['a refused switch', { eth_chainId: () => '0x1', wallet_switchEthereumChain: refuse }, /allow the switch/],
  [
    'a wallet that stays elsewhere',
    { eth_chainId: () => '0x1', wallet_switchEthereumChain: () => null },
    /Switch it there/,
  ],
  ['a wallet without funds', { eth_call: () => held(1n) }, /does not hold enough/],
  ['a wallet without accounts', { eth_requestAccounts: () => [] }, /no account to pay from/],
])('%s: said so, nothing was sent, and the next try pays once', async (_, answers, words) => {
  const wallet = testWallet('Harbor');
  const usual = { ...wallet.answers };
  Object.assign(wallet.answers, answers);
  const { press, reaches, panel, service } = await open({ wallets: [wallet] });
  await press.click();
  await reaches('failed');
  expect(await panel.innerText()).toMatch(words);
  expect(await panel.innerText()).toContain('Nothing was charged.');
  expect(await press.innerText()).toBe('Try again');
  expect(service.asked.settle).toEqual([]);
  Object.assign(wallet.answers, usual);
  await press.click();
  await reaches('paid');
  expect(service.asked.settle).toHaveLength(1);
});

test('called off before signing: back to the price, with focus, and a late signature goes nowhere', async () => {
  const late = Promise.withResolvers<string>();
  const wallet = testWallet('Harbor', { eth_signTypedData_v4: () => late.promise });
  const { page, press, reaches, service } = await open({ wallets: [wallet] });
  await press.click();
  await reaches('sign');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await reaches('ready');
  expect(await press.evaluate((element) => element.matches(':focus'))).toBe(true);
  late.resolve(`0x${'ab'.repeat(65)}`);
  await page.waitForTimeout(200);
  expect(service.asked.settle).toEqual([]);
});

test('a wallet that never answers is waited for five minutes, then the payer is told what to do', async () => {
  const wallet = testWallet('Harbor', { eth_signTypedData_v4: NEVER });
  const { page, press, reaches, panel } = await open({ wallets: [wallet], holdTime: true });
  await press.click();
  await page.clock.fastForward(300);
  await reaches('sign');
  await passTime(page, 15_000);
  expect(await panel.innerText()).toContain('No window? Click the icon of Harbor');
  await passTimeUntil(page, 'failed', 310_000, 30_000);
  expect(await panel.innerText()).toContain('The wallet did not answer. Open it, then try again. Nothing was charged.');
});

test('service down, then back: an end with words, and the next press pays', async () => {
  const service = fakeService({ intent: DOWN });
  const { page, press, reaches, panel } = await open({ service, holdTime: true });
  await press.click();
  await passTimeUntil(page, 'failed', 120_000, 1_000);
  expect(await panel.innerText()).toContain(
    'can’t be reached. Check your connection, then try again. Nothing was charged.',
  );
  service.answers.intent = offered(acceptance());
  await press.click();
  await page.clock.fastForward(300);
  await reaches('paid');
});

test('processing for half a minute: said to be settled, safe to close, and not called paid before it is', async () => {
  const service = fakeService({ settle: settled('processing'), notify: stands('processing') });
  const { page, press, reaches, panel, states } = await open({ service, holdTime: true });
  await press.click();
  await page.clock.fastForward(300);
  await reaches('settling');
  expect(await panel.innerText()).toBe(
    'Being settled\n\nYour payment has arrived and is being settled. You can close this page.',
  );
  await passTime(page, 30_000, 2_000);
  expect(await panel.innerText()).toContain('waiting for the network. It goes on by itself: you can close this page.');
  expect(await states()).not.toContain('paid');
  service.answers.notify = stands('completed');
  await passTimeUntil(page, 'paid', 30_000, 2_000);
});

test('no end heard: not called failed, not offered to pay again, and asking again never signs', async () => {
  const service = fakeService({ settle: DOWN, notify: DOWN });
  const { page, press, reaches, panel, wallet, heard } = await open({ service, holdTime: true });
  await press.click();
  await page.clock.fastForward(300);
  await reaches('sending');
  await passTimeUntil(page, 'unknown', 400_000, 10_000);
  expect(await panel.innerText()).toContain('Do not pay again');
  expect(await panel.innerText()).not.toContain('Nothing was charged');
  expect(await press.innerText()).toBe('Check again');
  await page.evaluate(() => localStorage.clear());
  await press.click();
  await reaches('checking');
  service.answers.notify = stands('completed');
  await passTimeUntil(page, 'paid', 60_000, 1_000);
  expect(signatures(wallet.asked)).toBe(1);
  expect(service.asked.intent).toHaveLength(1);
  const completed = (await heard()).filter(({ type }) => type === 'svc-sdk-transaction-completed');
  expect(completed).toHaveLength(1);
});

test.each([
  ['a payment', 'requires_payment'],
  ['beside a part that a stranger sent, a payment', 'mismatched'],
])('%s that never arrived may be made again, but only once its signature is worth nothing', async (_, status) => {
  const service = fakeService({ settle: DOWN, notify: stands(status) });
  const { page, press, reaches, panel, wallet } = await open({ service, holdTime: true });
  await press.click();
  await page.clock.fastForward(300);
  await reaches('sending');
  await page.reload();
  await reaches('checking');
  await passTime(page, 240_000, 20_000);
  expect(await page.locator('svc-pay-button').first().getAttribute('state')).toBe('checking');
  await passTimeUntil(page, 'failed', 240_000, 10_000);
  expect(await panel.innerText()).toContain(
    'never arrived, and its signature has expired. You can pay again. Nothing was charged.',
  );
  service.answers.settle = settled('succeeded');
  await press.click();
  await page.clock.fastForward(300);
  await reaches('paid');
  expect(signatures(wallet.asked)).toBe(2);
});

test('in test mode the console says code, reason and where it is explained; in live mode it says nothing', async () => {
  const message = 'base_usdc is a live token and this is a test key; use basesepolia_usdc, or a live key.';
  const refusal = { error: 'token_unknown', message, param: null, retryable: false, moneyMoved: 'no' };
  const body = { ...refusal, requestId: 'req_7', docUrl: 'https://pay.example/reference/errors#token_unknown' };
  const service = fakeService({ intent: { status: 422, body } });
  const told = async (publishableKey: string) => {
    const { page, press, reaches, panel } = await open({ service, publishableKey });
    const lines: string[] = [];
    page.on('console', (line) => line.type() === 'warning' && lines.push(line.text()));
    await press.click();
    await reaches('failed');
    expect(await panel.innerText()).not.toContain('test key');
    return lines;
  };
  expect(await told('pk_test_page')).toEqual([
    expect.stringMatching(
      /token_unknown: base_usdc is a live token.* \(req_7\) http.*\/reference\/errors#token_unknown$/,
    ),
  ]);
  expect(await told('pk_live_page')).toEqual([]);
});

test('attributes that come late are nothing that a live page says in its console', async () => {
  const { page } = await open();
  const lines: string[] = [];
  page.on('console', (line) => line.type() === 'warning' && lines.push(line.text()));
  const late = (key: string) =>
    page.evaluate(async (publishableKey) => {
      const button = document.createElement('svc-pay-button');
      document.body.append(button);
      await (button as unknown as { updateComplete: Promise<unknown> }).updateComplete;
      button.setAttribute('publishable-key', publishableKey);
      await (button as unknown as { updateComplete: Promise<unknown> }).updateComplete;
    }, key);
  await late('pk_live_page');
  expect(lines).toEqual([]);
  await late('pk_test_page');
  await expect.poll(() => lines.length).toBeGreaterThan(0);
});

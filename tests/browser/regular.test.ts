// The regular flow on a page: what the payer is asked, and what a page that comes back does.
import { describe, expect, test } from 'vitest';
import { browserWorld } from './browser-world.ts';
import { fakeService, notOffered, settled, stands } from './fake-service.ts';
import { passTimeUntil } from './pass-time.ts';
import { APPROVE_HASH, held, NEVER, PAY_HASH, refuse, sendingAnswers, testWallet } from './test-wallet.ts';

const open = browserWorld();
const order = [{ 'usd-amount': '12.50', order: '1234' }];
const named = (types: readonly { readonly type: string; readonly detail: Record<string, unknown> }[]) =>
  types
    .filter(({ type }) => type.startsWith('svc-sdk-'))
    .map(({ type, detail }) => `${String(detail['flow'])} ${type.replace('svc-sdk-transaction-', '')}`);

test('a wallet that can’t sign typed data approves, pays and waits; the page hears of both attempts', async () => {
  const sent: string[] = [];
  const service = fakeService();
  const { press, panel, reaches, heard, states } = await open({
    service,
    buttons: order,
    wallets: [testWallet('Harbor', sendingAnswers(sent))],
  });
  await press.click();
  await reaches('confirming');
  expect(await panel.innerText()).toContain('You can close this page');
  expect(await panel.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  service.answers.notify = stands('completed');
  await reaches('paid');
  expect(sent).toEqual(['approve', 'pay']);
  expect(service.asked.settle).toEqual([]);
  expect(service.asked.notify).toContainEqual({ paymentIntentId: 'pi_fake', transactionId: PAY_HASH });
  expect((await states()).slice(-5)).toEqual(['approve', 'approving', 'pay', 'confirming', 'paid']);
  const told = named(await heard());
  expect(told.slice(0, 3)).toEqual(['x402 created', 'x402 failed', 'regular created']);
  expect(told.at(-1)).toBe('regular completed');
});

test('another amount that arrived is told as mismatched, to the page and to the payer', async () => {
  const service = fakeService({ intent: notOffered });
  const wallet = testWallet('Harbor', sendingAnswers());
  const { press, panel, reaches, heard } = await open({ service, wallets: [wallet], buttons: order });
  await press.click();
  await reaches('confirming');
  const payment = { transactionId: PAY_HASH, requestedAmount: '12500000', paidAmount: '12000000' };
  const { body } = stands('mismatched') as { body: object };
  service.answers.notify = { status: 200, body: { ...body, payment } };
  await reaches('mismatched');
  expect(await panel.innerText()).toContain('contact the shop; do not pay again');
  const [mismatched] = (await heard()).filter(({ type }) => type === 'svc-sdk-transaction-mismatched');
  expect(mismatched?.detail).toMatchObject({ ...payment, flow: 'regular', moneyMoved: 'yes' });
});

test('a tab closed after the payment was sent: the next one waits, sends nothing, and tells the hash', async () => {
  const sent: string[] = [];
  const service = fakeService();
  const wallet = testWallet('Harbor', sendingAnswers(sent));
  const { page, press, reaches, openTab } = await open({ service, wallets: [wallet], buttons: order });
  await press.click();
  await reaches('confirming');
  await page.close();
  service.asked.notify.length = 0;
  const tab = await openTab();
  await tab.locator('svc-pay-button[state=confirming]').waitFor();
  await expect.poll(() => service.asked.notify).toContainEqual({ paymentIntentId: 'pi_fake', transactionId: PAY_HASH });
  service.answers.notify = stands('completed');
  await tab.locator('svc-pay-button[state=paid]').waitFor();
  expect(sent).toEqual(['approve', 'pay']);
  expect(service.asked.intent).toHaveLength(1);
});

test('a tab closed after the approval: the payer is asked again, and only for the payment', async () => {
  const sent: string[] = [];
  const answers = sendingAnswers(sent);
  const wallet = testWallet('Harbor', { ...answers, eth_getTransactionReceipt: () => null });
  const service = fakeService();
  const { page, press, reaches, openTab } = await open({ service, wallets: [wallet], buttons: order });
  const allowance = wallet.answers['eth_call'];
  // The approval is not in a block yet.
  wallet.answers['eth_call'] = (params) => {
    const answer = allowance?.(params);
    return answer === held(12_500_000n) ? held(0n) : answer;
  };
  await press.click();
  await reaches('approving');
  await page.close();
  Object.assign(wallet.answers, answers);
  const tab = await openTab();
  await tab.locator('svc-pay-button[state=ready] .press').click();
  await tab.locator('svc-pay-button[state=confirming]').waitFor();
  service.answers.notify = stands('completed');
  await tab.locator('svc-pay-button[state=paid]').waitFor();
  expect(sent).toEqual(['approve', 'pay']);
});

test('a tab closed while the wallet was asked to pay: the next one does not ask again, and does not say that it was sent', async () => {
  const wallet = testWallet('Harbor', sendingAnswers());
  const send = wallet.answers['eth_sendTransaction'];
  const asked: unknown[] = [];
  wallet.answers['eth_sendTransaction'] = (params) => {
    const answer = send?.(params);
    if (answer === APPROVE_HASH) return answer;
    asked.push(params);
    return NEVER();
  };
  const { page, press, reaches, openTab } = await open({ wallets: [wallet], buttons: order });
  await press.click();
  await reaches('pay');
  await page.close();
  const tab = await openTab();
  await tab.locator('svc-pay-button[state=checking]').waitFor();
  await tab.waitForTimeout(1_000);
  expect(asked).toHaveLength(1);
});

test('who says no is asked again at the next press, and pays once', async () => {
  const sent: string[] = [];
  const wallet = testWallet('Harbor', sendingAnswers(sent));
  const usual = { ...wallet.answers };
  wallet.answers['eth_sendTransaction'] = refuse;
  const service = fakeService();
  const { press, panel, reaches } = await open({ service, wallets: [wallet], buttons: order });
  await press.click();
  await reaches('failed');
  expect(await panel.innerText()).toContain(
    'You did not confirm in the wallet. To pay, try again. Nothing was charged.',
  );
  Object.assign(wallet.answers, usual);
  await press.click();
  await reaches('confirming');
  service.answers.notify = stands('completed');
  await reaches('paid');
  expect(sent).toEqual(['approve', 'pay']);
});

test('a payment below the minimum of X402 is told as failed, and is paid by the regular flow', async () => {
  const sent: string[] = [];
  const signing = testWallet('Harbor');
  const { eth_signTypedData_v4: _, ...sending } = sendingAnswers(sent);
  Object.assign(signing.answers, sending);
  const service = fakeService({ settle: settled('failed', { error: 'x402_minimum_amount_not_met' }) });
  const { press, reaches, heard } = await open({ service, wallets: [signing], buttons: order });
  await press.click();
  await reaches('confirming');
  service.answers.notify = stands('completed');
  await reaches('paid');
  expect(sent).toEqual(['approve', 'pay']);
  const failed = (await heard()).find(({ type }) => type === 'svc-sdk-transaction-failed');
  expect(failed?.detail).toMatchObject({ error: { code: 'x402_minimum_amount_not_met' }, moneyMoved: 'no' });
});

describe('a signature that the service refused', () => {
  const refusal = settled('failed', { error: 'insufficient_funds' });
  const sendsAndSigns = (sent: string[]) => {
    const wallet = testWallet('Harbor');
    const { eth_signTypedData_v4: _, ...sending } = sendingAnswers(sent);
    Object.assign(wallet.answers, sending);
    return wallet;
  };

  test('is not paid beside by the regular flow, after a reload too, until it is worth nothing', async () => {
    const sent: string[] = [];
    const service = fakeService({ settle: refusal });
    const options = { service, wallets: [sendsAndSigns(sent)], buttons: order, holdTime: true };
    const { page, press, panel, reaches } = await open(options);
    await press.click();
    await page.clock.fastForward(300);
    await reaches('failed');
    await page.reload();
    await reaches('ready');
    service.answers.intent = notOffered;
    await press.click();
    await page.clock.fastForward(300);
    await reaches('unknown');
    expect(await panel.innerText()).toContain('Do not pay again');
    await press.click();
    await reaches('checking');
    await passTimeUntil(page, 'failed', 480_000, 10_000);
    expect(sent).toEqual([]);
    await press.click();
    await passTimeUntil(page, 'confirming', 30_000, 1_000);
    expect(sent).toEqual(['approve', 'pay']);
  });

  test('is followed by another signature at once', async () => {
    const service = fakeService({ settle: refusal });
    const { press, reaches } = await open({ service, wallets: [sendsAndSigns([])], buttons: order });
    await press.click();
    await reaches('failed');
    service.answers.settle = settled('succeeded');
    await press.click();
    await reaches('paid');
  });
});

test('a payment that the network refused after its tab was closed is told so, and may be made again', async () => {
  const sent: string[] = [];
  const wallet = testWallet('Harbor', sendingAnswers(sent));
  const { page, press, reaches, openTab } = await open({ service: fakeService(), wallets: [wallet], buttons: order });
  const receipt = wallet.answers['eth_getTransactionReceipt'];
  const mined = (status: string | null) => {
    wallet.answers['eth_getTransactionReceipt'] = ([hash]) =>
      hash === PAY_HASH ? status && { status, blockNumber: '0x10' } : receipt?.([hash]);
  };
  mined(null);
  await press.click();
  await reaches('confirming');
  await page.close();
  mined('0x0');
  const asked = wallet.asked.length;
  const tab = await openTab();
  await tab.locator('svc-pay-button[state=failed]').waitFor();
  expect(wallet.asked.slice(asked).filter((method) => !/Receipt|blockNumber/.test(method))).toEqual([]);
  mined('0x1');
  await tab.locator('svc-pay-button .press').click();
  await tab.locator('svc-pay-button[state=confirming]').waitFor();
  expect(sent).toEqual(['approve', 'pay', 'pay']);
});

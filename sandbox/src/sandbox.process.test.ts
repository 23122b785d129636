import { expect, test, vi } from 'vitest';
import type { OrderView } from './shop/order.ts';
import { openBrowser, type Visitor } from './testing/open-browser.ts';
import { lookIntoConsole, tryDoor } from './testing/open-console.ts';
import { balanceIn, loseAnswer, noteStages } from './testing/pay-by-transfer.ts';
import { followQuickStart } from './testing/quick-start.ts';
import { newFolder, processesOf, runSandbox } from './testing/run-sandbox.ts';

async function order({ page }: Visitor, shopUrl: string, item: string): Promise<string> {
  await page.goto(shopUrl);
  await page.click(`[data-item=${item}] button`);
  await page.waitForSelector('svc-pay-button[state=ready]');
  return page.url();
}

async function press({ page }: Visitor, answer: 'yes' | 'no'): Promise<string> {
  await page.click('svc-pay-button .press');
  await page.waitForSelector('dialog.ask');
  const said = (await page.textContent('dialog.ask h2')) ?? '';
  await page.click(`dialog.ask button[value=${answer}]`);
  return said;
}

const until = ({ page }: Visitor, status: string) =>
  page.waitForSelector(`#order[data-status=${status}]`, { timeout: 20_000 });

async function payTea(visitor: Visitor, shopUrl: string): Promise<string> {
  await visitor.page.goto(shopUrl);
  await visitor.page.waitForSelector('.wallet b');
  await visitor.picture('shop');
  const url = await order(visitor, shopUrl, 'tea');
  expect(await press(visitor, 'no')).toBe('Let 4.20 USD Coin be taken?');
  expect(await visitor.page.getAttribute('#order', 'data-status')).toBe('open');
  await visitor.page.waitForSelector('svc-pay-button[state=ready], svc-pay-button[state=failed]');
  await press(visitor, 'yes');
  // Paid by the shop's webhook: the page shows the server's status, not the button's.
  await until(visitor, 'paid');
  await visitor.picture('order');
  return url;
}

async function readVerse(visitor: Visitor, shopUrl: string): Promise<void> {
  const { page } = visitor;
  await order(visitor, shopUrl, 'verse');
  expect(await press(visitor, 'yes')).toBe('Let 1.00 USD Coin be taken?');
  await until(visitor, 'authorized');
  for (let lines = 1; lines <= 7; lines += 1) {
    await page.click('[data-do=lines]');
    await page.waitForFunction((count) => document.querySelectorAll('.verse p').length === count, lines);
  }
  await visitor.picture('tab');
  await page.click('[data-do=close]');
  await until(visitor, 'paid');
  expect(await page.textContent('.receipt')).toMatch(/Charged\s*0\.35 USDC\s*Back with you\s*0\.65 USDC/);
}

/** The wallet has no SOL. Declining leaves the order open, accepting pays it. */
async function payOnSolana(visitor: Visitor, shopUrl: string): Promise<string> {
  const { page } = visitor;
  await order(visitor, shopUrl, 'biscuits');
  expect(await press(visitor, 'no')).toBe('Send 2.50 USDC?');
  await page.waitForSelector('svc-pay-button[state=ready], svc-pay-button[state=failed]');
  expect(await page.getAttribute('#order', 'data-status')).toBe('open');
  await press(visitor, 'yes');
  await until(visitor, 'paid');
  expect(await page.textContent('.wallet')).toContain('Test wallet on Solana');
  await visitor.picture('order-solana');
  await lookAtTimeline(visitor, ['intent', 'signature', 'batch', 'transaction', 'end', 'books', 'webhook']);
  await visitor.picture('timeline-solana');
  return page.url();
}

const HONEY_ATOMIC = 3_100_000n;
const FEE_ATOMIC = 10_000n;

/** The wallet shows what is signed. Declining is said and leaves the order open, accepting pays it. */
async function payOnIcp(visitor: Visitor, shopUrl: string): Promise<void> {
  const { page } = visitor;
  await order(visitor, shopUrl, 'honey');
  await page.click('svc-pay-button .press');
  await page.waitForSelector('dialog.ask');
  expect(await page.textContent('dialog.ask h2')).toBe('Send 3.10 ckUSDC?');
  const shown = (await page.textContent('dialog.ask dl')) ?? '';
  expect(shown).toContain(`To${await page.getAttribute('svc-pay-button', 'pay-to')}`);
  expect(shown).toMatch(/Tokenbkyz2-fmaaa-aaaaa-qaaaq-cai.*Memosvc:\d+/);
  await visitor.picture('wallet-icp');
  await page.click('dialog.ask button[value=no]');
  await page.waitForSelector('svc-pay-button[state=failed]');
  expect(await page.textContent('svc-pay-button [part=text]')).toBe(
    'You did not confirm in the wallet. To pay, try again. Nothing was charged.',
  );
  expect(await page.getAttribute('#order', 'data-status')).toBe('open');
  await acceptTransfer(visitor);
  expect(await page.textContent('.wallet')).toContain('Test wallet on the Internet Computer');
  await visitor.picture('order-icp');
}

async function acceptTransfer(visitor: Visitor): Promise<void> {
  const held = await balanceIn(visitor);
  await press(visitor, 'yes');
  await until(visitor, 'paid');
  expect(await balanceIn(visitor)).toBe(held - HONEY_ATOMIC - FEE_ATOMIC);
}

/** The ledger's block is told, and no batch. */
async function lookAtTransfer(visitor: Visitor): Promise<void> {
  await lookAtTimeline(visitor, ['intent', 'transaction', 'end', 'books', 'webhook'], 2);
  expect(await visitor.page.locator('.steps .batch, .steps .signature').count()).toBe(0);
  await visitor.picture('timeline-icp');
}

/** The page is loaded again after the transfer was made: it waits for that one, and asks the payer for no other. */
async function reloadWhilePaying(visitor: Visitor, shopUrl: string, lost: 'transfer' | 'notify'): Promise<void> {
  const { page } = visitor;
  const stages = await noteStages(visitor);
  await order(visitor, shopUrl, 'honey');
  const held = await balanceIn(visitor);
  const { isLost, hearAgain } = await loseAnswer(visitor, lost);
  await press(visitor, 'yes');
  await isLost;
  await hearAgain();
  expect(await stages()).toContain('pay');
  await page.reload();
  await until(visitor, 'paid');
  const afterwards = await stages();
  expect(afterwards.filter((stage) => !['checking', 'confirming', 'settling', 'paid'].includes(stage))).toEqual([]);
  expect(await page.locator('dialog.ask').count()).toBe(0);
  expect(await balanceIn(visitor)).toBe(held - HONEY_ATOMIC - FEE_ATOMIC);
}

const STEPS = ['intent', 'signature', 'charge', 'batch', 'transaction', 'end', 'books', 'webhook', 'final'];

async function lookAtTimeline(visitor: Visitor, steps = STEPS, legs = 4): Promise<void> {
  const { page } = visitor;
  await page.click('.look');
  for (const kind of steps) {
    await page.waitForSelector(`.steps li.${kind}:not(.ghost)`, { timeout: 40_000 });
  }
  expect(await page.locator('.steps li.bad').count()).toBe(0);
  expect(await page.locator('.legs li').count()).toBeGreaterThanOrEqual(legs);
  await visitor.picture('timeline');
}

test('in a browser, exact orders, on each chain, and an up-to order turn paid by webhook and the timeline tells how, the console opens signed in, the quick start works; Ctrl-C leaves nothing running and orders are kept', async () => {
  const folder = newFolder();
  const startMs = performance.now();
  const first = runSandbox('--folder', folder);
  const { shopUrl, consoleUrl, wallet, account } = await first.started();
  expect(performance.now() - startMs).toBeLessThan(60_000);
  const visitor = await openBrowser();
  const orderUrl = await payTea(visitor, shopUrl);
  const trailUrl = await payOnSolana(visitor, shopUrl);
  await payOnIcp(visitor, shopUrl);
  await lookAtTransfer(visitor);
  await reloadWhilePaying(visitor, shopUrl, 'transfer');
  await reloadWhilePaying(visitor, shopUrl, 'notify');
  await readVerse(visitor, shopUrl);
  await lookAtTimeline(visitor);
  await lookIntoConsole(visitor);
  await tryDoor(consoleUrl);
  expect(visitor.errors).toEqual([]);
  expect(await followQuickStart(folder)).toContain('"status":"succeeded"');
  await visitor.page.goto(trailUrl);
  await visitor.page.waitForSelector('.steps li.final:not(.ghost)', { timeout: 30_000 });
  expect(processesOf(folder).length).toBeGreaterThan(3);
  first.signalGroup('SIGINT');
  expect(await first.ended, first.stderr()).toBe(0);
  expect(processesOf(folder)).toEqual([]);

  const second = runSandbox('--folder', folder);
  const again = await second.started();
  expect(again.wallet).toEqual(wallet);
  expect(again.account).toEqual(account);
  const kept = await fetch(new URL(new URL(orderUrl).pathname, again.shopUrl), {
    headers: { accept: 'application/json' },
  });
  expect((await kept.json()) as OrderView).toMatchObject({ status: 'paid', chargedAtomic: '4200000' });
  // Its Internet Computer is another one, and its ledger goes on where the first ended.
  await order(visitor, again.shopUrl, 'honey');
  await acceptTransfer(visitor);
  second.signalGroup('SIGKILL');
  await second.ended;
  // The command was killed and could not stop its processes: the guards did.
  await vi.waitFor(() => expect(processesOf(folder)).toEqual([]), 15_000);
});

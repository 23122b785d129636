// The operator's page on the whole service: what its processes record of the installation, and to whom it is shown.
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { ledgerCheck } from '../e2e/ledger-check.ts';
import { finalPayment } from '../e2e/refund-shop.ts';
import { openConsoleShop, QUICK } from './console-shop.ts';
import { type ConsolePerson, consoleWorld } from './console-world.ts';

const world = await consoleWorld(QUICK);
const SLOW = { timeout: 30_000 };
let operator: ConsolePerson;
let stranger: ConsolePerson;

beforeAll(async () => {
  const shop = await openConsoleShop(world);
  await finalPayment(world, shop);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  operator = await world.signUp({ role: 'viewer', name: 'Ada Lovelace' });
  stranger = await world.signUp({ role: 'owner', name: 'Eve' });
  await world.command('people', 'operator', operator.person.id, 'on');
});
afterEach(() => expect(world.complaints.splice(0).filter((text) => !/status of 40[13]/.test(text))).toEqual([]));

const report = (page: Page) =>
  page.evaluate(async () => {
    const response = await fetch('/console/api/operator');
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  });
const cardOf = (page: Page, title: string) =>
  page.locator('section.card', { has: page.getByRole('heading', { name: title, exact: true }) });
const openReport = async ({ page }: ConsolePerson) => {
  await page.reload();
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByRole('heading', { name: 'Operator' }).waitFor();
  return page;
};

test('an operator sees each node of a network, its lanes and the days they last, what waits, and the last check of the books', async () => {
  const page = await openReport(operator);
  const network = cardOf(page, 'Anvil');
  await network.getByText('Offered', { exact: true }).waitFor(SLOW);
  // Both nodes of the configuration, by their places: an address of a node has a key in it.
  await expect
    .poll(() => network.locator('tbody tr').allInnerTexts(), { ...SLOW, interval: 500 })
    .toEqual([expect.stringMatching(/^1\s+Answers\s/), expect.stringMatching(/^2\s+Answers\s/)]);
  const { rows } = await world.database.pool.query<{ address: string }>('select address from svc.relayers');
  expect(rows).not.toHaveLength(0);
  const lanes = cardOf(page, 'Lanes and relayers');
  for (const { address } of rows) await lanes.locator(`[title="${address}"]`).first().waitFor(SLOW);
  // One of them has paid for a transaction: its balance lasts for some days at that rate.
  await expect
    .poll(() => lanes.locator('td[data-name=Lasts]').allInnerTexts(), SLOW)
    .toContainEqual(expect.stringMatching(/^[\d,.]+ days$/));
  const backlog = cardOf(page, 'Backlog of the installation');
  expect(await backlog.locator('dt').allInnerTexts()).toEqual([
    'Webhook deliveries that are due',
    'Due, to endpoints that fail',
    'Intents past their end, still open',
  ]);
  const check = cardOf(page, 'Last ledger check');
  await check.getByText('No difference', { exact: true }).waitFor();
  expect(await check.innerText()).toMatch(/Compared with\s+Anvil/);
  // No part of the page changes anything, and none names the address of a node.
  expect(await page.locator('main').getByRole('button').filter({ hasNotText: 'copy' }).count()).toBe(0);
  const { status, body } = await report(page);
  expect(status).toBe(200);
  expect(JSON.stringify(body)).not.toContain(new URL(world.chain.rpcUrl).port);
});

test('an owner who is no operator, and somebody who is not signed in, see nothing of it', async () => {
  const { page } = stranger;
  expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
  await page.goto(`${world.consoleUrl}/operator`);
  await page.getByText('There is no such page').waitFor();
  expect(await report(page)).toMatchObject({ status: 403, body: { error: 'operator_view_missing' } });
  const nobody = await world.openBrowser();
  await nobody.page.goto(`${world.consoleUrl}/operator`);
  await nobody.page.waitForURL(/\/sign-in/);
  expect(await report(nobody.page)).toMatchObject({ status: 401, body: { error: 'session_missing' } });
});

test('whoever loses the operator’s page loses it at once, and it is in the audit record', async () => {
  const page = await openReport(operator);
  await world.command('people', 'operator', operator.person.id, 'off');
  expect(await report(page)).toMatchObject({ status: 403, body: { error: 'operator_view_missing' } });
  await page.reload();
  await page.getByText('There is no such page').waitFor();
  const changes = (await world.audit()).filter(({ target }) => target === operator.person.id);
  expect(changes.map(({ action }) => action).filter((action) => action.startsWith('person.operator'))).toEqual([
    'person.operator_view_given',
    'person.operator_view_taken',
  ]);
});

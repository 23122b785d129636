// Runs every example by the commands of its page, and the guide's program, against one world.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePorts } from '@svc-pay/engine/server';
import { createSvcPay, orThrow } from '@svc-pay/server';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { blocksOf, promised, runCommands, serve } from './example-page.ts';
import { ledgerCheck } from './ledger-check.ts';
import { startWorld } from './start-world.ts';
import { confirm, prepareUpto } from './upto-calls.ts';
import { payerOf, prepare, settle } from './wallet.ts';

const world = await startWorld({ webhooks: true });
const { chain, shop } = world;
const { privateKey, account } = await chain.newKey();
const environment = {
  BASE_URL: world.apiUrl,
  RPC_URL: chain.rpcUrl,
  SECRET_KEY: shop.secretKey,
  ACCOUNT_ID: shop.accountId,
  TOKEN: chain.tokens.usdc,
  PAYER_KEY: privateKey,
  MAX_AMOUNT: '5000000',
};
const balance = () => chain.balanceOf(chain.tokens.usdc, account.address);
const svc = createSvcPay({ baseUrl: world.apiUrl, secretKey: shop.secretKey, accountId: shop.accountId });

/** Starts the server of a page; returns its address and a way to run the page's other commands. */
async function example(page: string) {
  const { admin: port } = await freePorts();
  const [serving = '', using = ''] = blocksOf(page, 'sh');
  const place = { ...environment, PORT: String(port), SHOP: `http://127.0.0.1:${port}` };
  onTestFinished(await serve(serving, place));
  return {
    SHOP: place.SHOP,
    use: () => runCommands(using, place),
    run: (commands: string, more = {}) => runCommands(commands, { ...place, ...more }),
    promise: promised(blocksOf(page, 'text')[0] ?? 'nothing is promised'),
  };
}

const answerOf = async (url: string, init?: RequestInit) => (await fetch(url, init)).json();

test('a payer is given money by the set-up page', async () => {
  const [, , fund = ''] = blocksOf('examples/README.md', 'sh');
  expect(await runCommands(fund, environment)).toBe('success\n');
  expect(await balance()).toBe(10_000_000n);
});

test('express-shop: an order turns paid by webhook, and no stranger’s payment pays for it', async () => {
  const { SHOP, use, promise } = await example('examples/express-shop/README.md');
  expect(await use()).toMatch(promise);
  expect(await balance()).toBe(8_500_000n);

  const order = (await answerOf(`${SHOP}/orders`, { method: 'POST' })) as { order: string };
  const cheap = { amount: '20000', tokenShortcode: 'anvil_usdc', metadata: { order: order.order } };
  const forged = await prepare(world, payerOf(account), cheap);
  expect(await settle(world, forged)).toMatchObject({ status: 'succeeded' });
  const intentId = forged.paymentIntentId;
  await expect
    .poll(async () => orThrow(await svc.events.list({ intentId, type: 'payment.completed' })).data, { timeout: 10_000 })
    .toMatchObject([{ deliveries: { succeeded: 1 } }]);
  expect(await answerOf(`${SHOP}/orders/${order.order}`)).toMatchObject({ status: 'open' });
});

test('next-shop: the same by Next’s route handlers', async () => {
  const { SHOP, use, promise } = await example('examples/next-shop/README.md');
  expect(await use()).toMatch(promise);
  expect((await fetch(`${SHOP}/api/orders/pi_none`)).status).toBe(404);
  expect((await fetch(`${SHOP}/api/webhooks`, { method: 'POST', body: '{}' })).status).toBe(400);
});

test('metered-api: what was used is charged, once, and nothing is served without a signature or above the cap', async () => {
  const { SHOP, use, run, promise } = await example('examples/metered-api/README.md');
  const before = await balance();
  expect(await use()).toMatch(promise);
  expect(await balance()).toBe(before - 500_000n);

  const unsigned = (await answerOf(`${SHOP}/sessions`, { method: 'POST' })) as { session: string };
  expect((await fetch(`${SHOP}/sessions/${unsigned.session}/words`)).status).toBe(402);
  expect(await answerOf(`${SHOP}/sessions/${unsigned.session}`, { method: 'DELETE' })).toMatchObject({ charged: '0' });

  const signed = JSON.parse(await run('node examples/agent/agent.js "$SHOP/sessions"')) as { session: string };
  const session = `${SHOP}/sessions/${signed.session}`;
  expect(await answerOf(`${session}/words?count=1600`)).toMatchObject({ used: '2000000' });
  expect((await fetch(`${session}/words`)).status).toBe(402);
  const closed = { charged: '2000000', returned: '0', status: 'succeeded' };
  for (let times = 0; times < 2; times += 1) expect(await answerOf(session, { method: 'DELETE' })).toEqual(closed);
  expect(await balance()).toBe(before - 2_500_000n);
});

test('agent: pays a price within its budget, and signs nothing else', async () => {
  const { use, run, promise } = await example('examples/agent/README.md');
  expect(await use()).toMatch(promise);
  const before = await balance();
  const tooMuch = [{ MAX_AMOUNT: '1499999' }, { TOKEN: chain.tokens.vol }];
  await Promise.all(
    tooMuch.map(async (limits) => {
      const refused = run('node examples/agent/agent.js "$SHOP/orders"', limits);
      await expect(refused).rejects.toThrow('nothing on offer is within what this agent may spend');
    }),
  );
  expect(await balance()).toBe(before);
});

test('a settlement whose answers are lost charges once', async () => {
  const before = await balance();
  const call = await prepareUpto(world, payerOf(account), { capAtomic: 1_000_000n });
  await confirm(world, call);
  let answers = 0;
  const losing = createSvcPay({
    baseUrl: world.apiUrl,
    secretKey: shop.secretKey,
    accountId: shop.accountId,
    fetch: async (...request) => {
      const response = await fetch(...request);
      answers += 1;
      if (answers <= 2) throw new TypeError(`lost: ${await response.text()}`);
      return response;
    },
  });
  const asked = { paymentIntentId: call.paymentIntentId, settledAmountUsd: '0.25' };
  for (let times = 0; times < 2; times += 1) {
    expect(await losing.upto.settle(asked)).toMatchObject({
      ok: true,
      settlement: { status: 'succeeded', settledAmount: '250000', refundAmount: '750000' },
    });
  }
  expect(answers).toBe(4);
  expect(await balance()).toBe(before - 250_000n);
});

test('the guide of the server library is a program that does what it says', async () => {
  const file = path.resolve(`.cache/server-guide-${process.pid}.mjs`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, blocksOf('docs/integrate/server.md', 'js').join('\n'));
  onTestFinished(() => rmSync(file));
  const lines = (await runCommands(`node ${file}`, environment)).trim().split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'payment_required 12500000',
    'not_found 404 false true',
    'true',
    'aborted',
    'enabled true',
  ]);
  expect(lines).toContain('payment_intent.created A-7');
  expect(lines.at(-1)).toBe('done');
});

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

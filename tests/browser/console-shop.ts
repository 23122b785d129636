// A merchant whose wallet is in the page, payers of theirs, and what the console's page, the chain and the audit record show.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { intentOf, paymentsOf } from '../e2e/direct-shop.ts';
import { waitFor } from '../e2e/many-payments.ts';
import { approvedPayer } from '../e2e/open-pay.ts';
import { openShop, type Shop } from '../e2e/open-shop.ts';
import { confirm, prepareUpto } from '../e2e/upto-calls.ts';
import { createIntent, type Payer } from '../e2e/wallet.ts';
import type { ConsolePerson, ConsoleWorld } from './console-world.ts';
import { installWallets, type TestWallet, testWallet } from './test-wallet.ts';

export type ConsoleShop = Shop & { readonly wallet: TestWallet };

/** The chain reader applies what it finds within a second, and explorer links are given. */
export const QUICK = {
  webhooks: true,
  network: { explorerUrl: 'https://explorer.example/tx/{transactionId}' },
  rpcUrls: async (url: string) => [url, url.replace('127.0.0.1', 'localhost')],
  settlement: { SVC_READER_EVERY_MS: '200', SVC_READER_CLAIM_MS: '500' },
} as const;

export async function openConsoleShop({ chain, database }: ConsoleWorld): Promise<ConsoleShop> {
  const wallet = testWallet('Till');
  await chain.mint(chain.tokens.usdc, wallet.account.address, 100_000_000n);
  const shop = await openShop(database.pool, chain, {
    feeBps: 100,
    splitBps: [250],
    merchant: wallet.account.address,
  });
  return { ...shop, wallet };
}

/** Somebody of the shop, with its wallet in the browser. */
export async function memberOf(
  world: ConsoleWorld,
  { accountId, wallet }: ConsoleShop,
  role: 'owner' | 'developer' | 'support' | 'viewer',
): Promise<ConsolePerson> {
  const person = await world.signUp({ role, accountId, name: `A ${role}` });
  await installWallets(person.context, [wallet]);
  return person;
}

export async function openPage({ page, accountId }: ConsolePerson, path: string): Promise<Page> {
  await page.goto(new URL(`/test/${accountId}${path}`, page.url()).href);
  await page.locator('h1').first().waitFor();
  return page;
}

/** A cap of five dollars that a payer authorized. */
export async function authorized({ apiUrl }: ConsoleWorld, shop: Shop, payer: Payer): Promise<string> {
  const call = await prepareUpto({ apiUrl, shop }, payer);
  const { httpStatus, body } = await confirm({ apiUrl, shop }, call);
  if (httpStatus !== 200) throw new Error(`${httpStatus}: ${JSON.stringify(body)}`);
  return call.paymentIntentId;
}

/** An intent of 1.50 for which a payer sends another amount with a transaction of their own. Answers the intent's id. */
export async function payOtherwise(world: ConsoleWorld, shop: Shop, amountAtomic: bigint): Promise<string> {
  const { apiUrl, database } = world;
  const { rows } = await database.pool.query<{ payout_id: string }>(
    'select payout_id from svc.payouts where account_id = $1',
    [shop.accountId],
  );
  const [intent, payer] = await Promise.all([
    createIntent({ apiUrl, shop }, { usdAmount: '1.5', tokenShortcode: 'anvil_usdc' }),
    approvedPayer(world, amountAtomic),
  ]);
  await payer.pay((await intentOf(world, intent)).code, BigInt(rows[0]?.payout_id ?? 0), amountAtomic);
  await waitFor(async () => (await paymentsOf(world, intent)).length === 1, 30, 'found on the chain');
  return intent.paymentIntentId;
}

/** What the audit record has of a person, as `action target`, oldest first. Waits until all of it is there. */
export async function expectAudit(world: ConsoleWorld, { person }: ConsolePerson, ...lines: readonly string[]) {
  const seen = async () =>
    (await world.audit())
      .filter(({ actor }) => actor === `person:${person.id}` || actor.endsWith(`/person:${person.id}`))
      .map(({ action, target }) => `${action} ${target}`);
  await expect.poll(seen).toEqual(expect.arrayContaining([...lines]));
}

type Relayed = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** The request that a button would send, sent by hand with the person's cookie. */
export const sendByHand = ({ page, accountId }: ConsolePerson, path: string, body: object = {}): Promise<Relayed> =>
  page.evaluate(
    async ([url, text]) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-svc-console': '1' },
        body: text,
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    [`/console/api/accounts/${accountId}/test${path}`, JSON.stringify(body)] as const,
  );

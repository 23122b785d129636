// Payments that are prepared at one time and settled at another, and what each was told when it was settled.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shop } from '../../e2e/open-shop.ts';
import { confirm, prepareUpto, settleUpto } from '../../e2e/upto-calls.ts';
import { type Payer, payerOf, prepare, type SettleCall, settle } from '../../e2e/wallet.ts';
import type { SettlementWorld } from '../settlement/world.ts';

export type Purchase = {
  readonly kind: 'exact' | 'upto';
  readonly shop: Shop;
  readonly call: SettleCall;
  readonly settledAtomic: bigint;
};

/** What a client, or a merchant's backend, holds in its hands afterwards. */
export type Told = {
  readonly http: number;
  readonly status: unknown;
  readonly transactionId: unknown;
  readonly splitId: unknown;
  readonly paidAmount: unknown;
};

export const MINTED_ATOMIC = 100_000_000_000n;
const PAYERS = 20;
const AT_ONCE = 25;
/** More than an API on a busy machine answers in time is another test. */
const SETTLED_AT_ONCE = 150;
const MOST_TRIES = 10;
const UNAVAILABLE = 503;
const PAUSE_MS = 500;
const CAP_ATOMIC = 3_000_000n;

export async function openPurses({ chain }: SettlementWorld): Promise<readonly Payer[]> {
  const keys = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey()));
  await Promise.all(keys.map(({ account }) => chain.mint(chain.tokens.usdc, account.address, MINTED_ATOMIC)));
  return keys.map(({ account }) => payerOf(account));
}

/** Every third is an up-to payment, of which a changing part is settled. */
export async function prepareAll(
  { apiUrls: [apiUrl = ''], shops }: SettlementWorld,
  payers: readonly Payer[],
  count: number,
): Promise<readonly Purchase[]> {
  const one = async (index: number): Promise<Purchase> => {
    const shop = shops[index % shops.length];
    const payer = payers[index % payers.length];
    if (shop === undefined || payer === undefined) throw new Error('no shop is open');
    const door = { apiUrl, shop };
    if (index % 3 !== 0) return { kind: 'exact', shop, call: await prepare(door, payer), settledAtomic: 1_500_000n };
    const call = await prepareUpto(door, payer, { capAtomic: CAP_ATOMIC, windowSeconds: 3_600 });
    return { kind: 'upto', shop, call, settledAtomic: 1n + ((BigInt(index) * 7_919n) % CAP_ATOMIC) };
  };
  return inTurn(
    Array.from({ length: count }, (_, index) => index),
    one,
  );
}

export async function confirmAll(
  { apiUrls: [apiUrl = ''] }: SettlementWorld,
  purchases: readonly Purchase[],
): Promise<void> {
  await inTurn(
    purchases.filter(({ kind }) => kind === 'upto'),
    async ({ shop, call }) => {
      const { httpStatus, body } = await confirm({ apiUrl, shop }, call);
      if (httpStatus !== 200) throw new Error(`${httpStatus}: ${JSON.stringify(body)}`);
    },
  );
}

export function settleAll(world: SettlementWorld, purchases: readonly Purchase[]): Promise<readonly Told[]> {
  return inTurn(purchases, (purchase) => settleOne(world, purchase), SETTLED_AT_ONCE);
}

/** Asked again while it is under way, and after 503, which says nothing of the money. */
export async function settleOne(world: SettlementWorld, purchase: Purchase): Promise<Told> {
  for (let tries = 1; ; tries += 1) {
    const told = await settleOnce(world, purchase);
    if ((told.status !== 'processing' && told.http !== UNAVAILABLE) || tries === MOST_TRIES) return told;
    if (told.http === UNAVAILABLE) await sleep(PAUSE_MS);
  }
}

async function settleOnce(
  { apiUrls: [apiUrl = ''] }: SettlementWorld,
  { kind, shop, call, settledAtomic }: Purchase,
): Promise<Told> {
  const door = { apiUrl, shop };
  if (kind === 'exact') {
    const answer = await settle(door, call).catch((problem: unknown) =>
      Number.parseInt((problem as Error).message, 10),
    );
    if (typeof answer === 'number') return { ...NOTHING, http: answer };
    const { status, transactionId, payment } = answer;
    return { http: 200, status, transactionId, splitId: payment?.transactionSplitId, paidAmount: payment?.paidAmount };
  }
  const sent = { paymentIntentId: call.paymentIntentId, settledAmount: settledAtomic.toString() };
  const { httpStatus: http, body } = await settleUpto(door, sent);
  const { status, transactionId, payment } = body;
  return { http, status, transactionId, splitId: payment?.['transactionSplitId'], paidAmount: payment?.['paidAmount'] };
}

const NOTHING: Told = {
  http: 0,
  status: undefined,
  transactionId: undefined,
  splitId: undefined,
  paidAmount: undefined,
};

async function inTurn<Given, Made>(
  given: readonly Given[],
  make: (one: Given) => Promise<Made>,
  atOnce = AT_ONCE,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (let start = 0; start < given.length; start += atOnce)
    made.push(...(await Promise.all(given.slice(start, start + atOnce).map(make))));
  return made;
}

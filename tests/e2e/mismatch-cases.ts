// The ways to pay an intent otherwise than asked, and what each policy of a merchant makes of them. The table is the same on
// every chain; a till says how one pays there.
import type { MismatchPolicy } from '@svc-pay/core';
import { basisPoints, usdMicros } from '@svc-pay/money';
import { setMismatchPolicy } from '@svc-pay/postgres/operator';
import { expect, test } from 'vitest';
import { intentOf, paymentsOf } from './direct-shop.ts';
import { PRICE } from './follow-payment.ts';
import { waitFor } from './many-payments.ts';
import type { World } from './start-world.ts';

export type Owner = { readonly accountId: string; readonly secretKey: string };

export type Till = {
  readonly shop: Owner;
  /** Creates an intent of PRICE that can be paid, and answers its id. */
  readonly offer: (body?: Readonly<Record<string, unknown>>) => Promise<string>;
  /** Pays the intent from a wallet that is not `absent`. */
  readonly pay: (intentId: string, amountAtomic: bigint) => Promise<unknown>;
  /** Pays PRICE of a token that the intent does not ask for. Resolves when the service has read it. */
  readonly payOtherToken: (intentId: string) => Promise<unknown>;
  /** Wallet that never pays. */
  readonly absent: string;
};

type Answered = {
  readonly id: string;
  readonly status: string;
  readonly requestedAmount: string;
  readonly paidAmount: string;
  readonly paidTotal: string | null;
  readonly refundDueAmount: string | null;
};

const text = (amount: bigint) => amount.toString();
const told = (amount: bigint | null) => amount?.toString() ?? null;
export const HALF = PRICE / 2n;
export const MORE = PRICE + HALF;
const WAIT_SECONDS = 90;

/** One call after another: calls of a wallet take their nonces in turn, and a local chain answers only so many at once. */
export function inTurn<Given extends readonly unknown[], Answer>(
  call: (...given: Given) => Promise<Answer>,
): (...given: Given) => Promise<Answer> {
  let earlier: Promise<unknown> = Promise.resolve();
  return (...given) => {
    const called = earlier.then(() => call(...given));
    earlier = called.catch(() => undefined);
    return called;
  };
}

export async function askAs(
  { apiUrl }: Pick<World, 'apiUrl'>,
  { secretKey }: Owner,
  method: 'GET' | 'POST',
  path: string,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${apiUrl}${path}`, { method, headers: { authorization: `Bearer ${secretKey}` } });
  return { status: response.status, body: await response.json() };
}

/** Payments of an intent as the merchant reads them, oldest first, once there are so many. */
export async function paymentsRead(world: World, owner: Owner, paymentIntentId: string, count: number) {
  const isThere = async () => (await paymentsOf(world, { paymentIntentId })).length >= count;
  await waitFor(isThere, WAIT_SECONDS, `${count} payments of ${paymentIntentId}`);
  const { body } = await askAs(world, owner, 'GET', `/sdk/payments?intentId=${paymentIntentId}`);
  return (body as { data: Answered[] }).data.toReversed();
}

export async function setPolicy({ database }: World, { accountId }: Owner, policy: Partial<MismatchPolicy>) {
  const operation = { pool: database.pool, nowMs: Date.now(), actor: 'operator:test' };
  await setMismatchPolicy(operation, accountId, 'test', policy);
}

/** One payment: `paid <amount>: <status>, in all <sum>, due <refund>; <events>`. */
type Line = string;
type Seen = { readonly intent: string; readonly payments: readonly Line[] };

async function seen(world: World, owner: Owner, paymentIntentId: string, count: number): Promise<Seen> {
  const answered = await paymentsRead(world, owner, paymentIntentId, count);
  const stored = await paymentsOf(world, { paymentIntentId });
  const payments = answered.map((payment, index) => {
    expect(payment.requestedAmount).toBe(text(PRICE));
    expect(stored[index]?.proofs).toBe(1);
    return lineOf(payment, stored[index]?.events ?? []);
  });
  return { intent: (await intentOf(world, { paymentIntentId })).status, payments };
}

function lineOf(
  { paidAmount, status, paidTotal, refundDueAmount }: Omit<Answered, 'id' | 'requestedAmount'>,
  events: readonly string[],
): Line {
  return `paid ${paidAmount}: ${status}, in all ${paidTotal}, due ${refundDueAmount}; ${events.join(' ')}`;
}

const COMPLETED = ['payment.created', 'payment.completed'];
const completed = (paid: bigint, due: bigint | null = null): Line =>
  lineOf({ paidAmount: text(paid), status: 'completed', paidTotal: text(paid), refundDueAmount: told(due) }, COMPLETED);
const mismatched = (paid: bigint, due: bigint | null = null): Line =>
  lineOf({ paidAmount: text(paid), status: 'mismatched', paidTotal: null, refundDueAmount: told(due) }, [
    'payment.created',
    'payment.updated',
  ]);
/** Of a payment of what is asked no sum is told. */
const AS_ASKED = lineOf(
  { paidAmount: text(PRICE), status: 'completed', paidTotal: null, refundDueAmount: null },
  COMPLETED,
);

type Amount = readonly [paid: bigint, intent: string, payment: Line];
type PolicyCase = {
  readonly policy: Partial<MismatchPolicy>;
  /** Other amounts for an intent that can be paid. */
  readonly amounts: readonly Amount[];
  /** The asked amount where the intent can't take it: paid twice, too late, from another wallet. */
  readonly beside: Line;
};

/** Just within a tolerance, and one unit beyond it. Beyond it, less is held and more is due back, as by default. */
const tolerating = (policy: Partial<MismatchPolicy>, tolerance: bigint): PolicyCase => ({
  policy,
  amounts: [
    [PRICE - tolerance, 'completed', completed(PRICE - tolerance)],
    [PRICE - tolerance - 1n, 'mismatched', mismatched(PRICE - tolerance - 1n)],
    [PRICE + tolerance, 'completed', completed(PRICE + tolerance)],
    [PRICE + tolerance + 1n, 'completed', completed(PRICE + tolerance + 1n, tolerance + 1n)],
  ],
  beside: mismatched(PRICE, PRICE),
});

const POLICIES: Readonly<Record<string, PolicyCase>> = {
  'sets nothing': {
    policy: {},
    amounts: [
      [HALF, 'mismatched', mismatched(HALF)],
      [MORE, 'completed', completed(MORE, HALF)],
    ],
    beside: mismatched(PRICE, PRICE),
  },
  'accepts other amounts': {
    policy: { over: 'accept', under: 'accept' },
    amounts: [
      [HALF, 'completed', completed(HALF)],
      [MORE, 'completed', completed(MORE)],
    ],
    beside: mismatched(PRICE),
  },
  'holds other amounts': {
    policy: { over: 'hold', under: 'hold' },
    amounts: [
      [HALF, 'mismatched', mismatched(HALF)],
      [MORE, 'mismatched', mismatched(MORE)],
    ],
    beside: mismatched(PRICE),
  },
  'gives back what was not asked for': {
    policy: { over: 'refund', under: 'refund' },
    amounts: [
      [HALF, 'requires_payment', mismatched(HALF, HALF)],
      [MORE, 'completed', completed(MORE, HALF)],
    ],
    beside: mismatched(PRICE, PRICE),
  },
  'tolerates ten cents': tolerating({ toleranceUsdMicros: usdMicros(100_000n) }, 100_000n),
  'tolerates five percent': tolerating({ toleranceBps: basisPoints(500) }, PRICE / 20n),
};

/** A test for each policy. `open` sets up a merchant; merchants are set up one after another, before the tests. */
export async function testEachPolicy(world: World, open: () => Promise<Till>): Promise<void> {
  const tills: [string, PolicyCase, Till][] = [];
  for (const [name, row] of Object.entries(POLICIES)) {
    const till = await open();
    await setPolicy(world, till.shop, row.policy);
    tills.push([name, row, till]);
  }
  test.concurrent.each(tills)(
    'a merchant who %s: less, more, twice, too late, another wallet and another token',
    async (_, row, till) => {
      const { found, expected } = await payEveryWay(world, row, till);
      expect(found).toEqual(expected);
    },
  );
}

type Way = readonly [name: string, expected: Seen, found: Promise<Seen>];

async function payEveryWay(world: World, { amounts, beside }: PolicyCase, till: Till) {
  const ways: readonly Way[] = [
    ...amounts.map(
      ([paid, intent, payment]): Way => [
        `of ${PRICE}: ${paid}`,
        { intent, payments: [payment] },
        payOnce(world, till, {}, paid),
      ],
    ),
    ['twice', { intent: 'completed', payments: [AS_ASKED, beside] }, payTwice(world, till)],
    ['too late', { intent: 'canceled', payments: [beside] }, payLate(world, till)],
    [
      'from another wallet',
      { intent: 'requires_payment', payments: [beside] },
      payOnce(world, till, { expectedSenderPrincipal: till.absent }, PRICE),
    ],
    ['another token first', { intent: 'completed', payments: [AS_ASKED] }, payOtherTokenFirst(world, till)],
  ];
  const found = await Promise.all(ways.map(async ([name, , way]) => [name, await way] as const));
  const expected = ways.map(([name, seenThen]) => [name, seenThen] as const);
  return { found: Object.fromEntries(found), expected: Object.fromEntries(expected) };
}

async function payOnce(world: World, { shop, offer, pay }: Till, body: object, amountAtomic: bigint): Promise<Seen> {
  const id = await offer({ ...body });
  await pay(id, amountAtomic);
  return seen(world, shop, id, 1);
}

async function payTwice(world: World, { shop, offer, pay }: Till): Promise<Seen> {
  const id = await offer();
  await pay(id, PRICE);
  await paymentsRead(world, shop, id, 1);
  await pay(id, PRICE);
  return seen(world, shop, id, 2);
}

async function payLate(world: World, { shop, offer, pay }: Till): Promise<Seen> {
  const id = await offer();
  await world.database.pool.query(`update svc.intents set expires_at = now() - interval '2 minutes' where id = $1`, [
    id,
  ]);
  const hasEnded = async () => (await intentOf(world, { paymentIntentId: id })).status === 'canceled';
  await waitFor(hasEnded, WAIT_SECONDS, 'canceled');
  await pay(id, PRICE);
  return seen(world, shop, id, 1);
}

/** The other token pays nothing and closes nothing: the intent takes its own token afterwards. */
async function payOtherTokenFirst(world: World, { shop, offer, pay, payOtherToken }: Till): Promise<Seen> {
  const id = await offer();
  await payOtherToken(id);
  expect(await paymentsOf(world, { paymentIntentId: id })).toEqual([]);
  expect((await intentOf(world, { paymentIntentId: id })).status).toBe('requires_payment');
  await pay(id, PRICE);
  return seen(world, shop, id, 1);
}

// One payment by a careful payer and a careful merchant: what was not answered well is asked again, with the same header,
// until it is known how it ended. Now and then one of them is impatient and asks twice at once, or pays with another header;
// of a direct payment, a stranger may submit the signature before or after the service has seen it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shop } from '../../e2e/open-shop.ts';
import { type Acceptance, type Payer, signHeader } from '../../e2e/wallet.ts';
import { nowMs } from '../harness/clock.ts';
import { createDice, type Dice } from '../harness/dice.ts';
import type { History } from '../harness/history.ts';
import type { PaidPayment } from '../refunds/refund-calls.ts';
import { askOneOf, type Call, noteTold, type Told } from './ask-api.ts';
import type { Strangers } from './strangers.ts';

export type Market = {
  /** Of one API or several, which are as good as each other. */
  readonly apiUrls: readonly string[];
  readonly shops: readonly Shop[];
  readonly payers: readonly Payer[];
  readonly strangers: Strangers;
  readonly history: History;
  readonly seed: number;
  /** Told of each payment whose client heard that it succeeded. */
  readonly onPaid?: (paid: PaidPayment) => void;
};

const PATIENCE_MS = 400_000;
const PAUSE_MS = 300;
const UPTO = 0.3;
const DOUBLED = 0.15;
const OTHER_HEADER = 0.05;
const BOUND = 0.5;
/** Of direct payments by the offered nonce, and by any other. */
const EARLY_STRANGER = 0.15;
const LATE_STRANGER = 0.05;
const SMALLEST_ATOMIC = 100_000;
const SPREAD_ATOMIC = 3_000_000;
const PRIME = 7_919;

type Signed = { readonly header: string; readonly nonce: string };
type Run = Market & {
  readonly number: number;
  readonly dice: Dice;
  readonly shop: Shop;
  readonly payer: Payer;
  readonly endMs: number;
};

/** Asks once more how it ended; undefined when the client never knew. */
export type AskAgain = (() => Promise<unknown>) | undefined;

/** Done when the client knows the end, or gave up. */
export async function payOnce(market: Market, number: number): Promise<AskAgain> {
  const dice = createDice(market.seed * PRIME + number);
  const run = { ...market, number, dice, shop: dice.pick(market.shops), payer: dice.pick(market.payers), endMs: 0 };
  const upto = dice.roll() < UPTO;
  const capAtomic = SMALLEST_ATOMIC + Math.floor(dice.roll() * SPREAD_ATOMIC);
  const known = await journey({ ...run, endMs: nowMs() + PATIENCE_MS }, upto, capAtomic);
  if (known === undefined) market.history.note('gave up', { journey: number });
  return known;
}

async function journey(run: Run, upto: boolean, capAtomic: number): Promise<AskAgain> {
  const { shop, payer, history, number, dice } = run;
  const key = shop.publishableKey;
  const body = { amount: String(capAtomic), tokenShortcode: 'anvil_usdc', ...(upto && { x402Upto: true }) };
  const created = await until(run, async () => {
    const told = await ask(run, 'create', { path: CREATE, key, body });
    return told?.http === 402 ? told.body : undefined;
  });
  if (created === undefined) return undefined;
  const intent = String(created['paymentIntentId']);
  const [acceptance] = created['accepts'] as readonly Acceptance[];
  if (acceptance === undefined) throw new Error('nothing is accepted');
  const bound = isDirect(acceptance) && dice.roll() < BOUND;
  const signed = await sign(payer, acceptance, bound);
  const settledAmount = String(upto ? 1 + Math.floor(dice.roll() * capAtomic) : capAtomic);
  history.note('journey', {
    journey: number,
    intent,
    upto,
    account: shop.accountId,
    payer: payer.address.toLowerCase(),
    cap: String(capAtomic),
    settledAmount,
    nonce: signed.nonce,
  });
  const call = (header: string) => ({
    paymentIntentId: intent,
    paymentHeader: header,
    paymentRequirements: acceptance,
  });
  const send = async (what: string, path: string, by: string, sent: object, nonce: string, account = false) => {
    const askedAt = nowMs();
    const headers = account ? { 'x-account-id': shop.accountId } : {};
    const told = await ask(run, what, { path, key: by, body: sent, headers });
    noteTold(history, { journey: number, intent, call: what, nonce }, askedAt, told);
    return told;
  };
  const doubled = dice.roll() < DOUBLED;
  const onEnd = ({ body: { status, payment } }: Told) => {
    const { id } = (payment ?? {}) as { readonly id?: string };
    if (status !== 'succeeded' || id === undefined) return;
    run.onPaid?.({
      journey: number,
      intent,
      payment: id,
      payer: payer.address,
      wallet: isDirect(acceptance) ? acceptance.payTo : shop.merchant,
      paidAtomic: BigInt(settledAmount),
      secretKey: shop.secretKey,
    });
  };
  if (upto) {
    const confirm = () => send('confirm', CONFIRM, key, call(signed.header), signed.nonce);
    const confirmed = await until(run, async () => ((await confirm())?.body['ok'] === true ? true : undefined));
    if (confirmed === undefined) return undefined;
    const sent = { paymentIntentId: intent, settledAmount };
    const settle = () => send('settle upto', SETTLE_UPTO, shop.secretKey, sent, signed.nonce, true);
    return repeat(run, settle, doubled, onEnd);
  }
  const settle = () => send('settle', SETTLE, key, call(signed.header), signed.nonce);
  if (isDirect(acceptance) && dice.roll() < (bound ? EARLY_STRANGER : LATE_STRANGER)) {
    // Of an unbound nonce a use before the claim has paid for something else, so a stranger waits for the answer: a settle
    // without one may have died before the claim.
    const claimed = bound || (await settle())?.http === 200;
    const submitted = claimed && (await run.strangers.submit(signed.header));
    history.note('stranger', { journey: number, intent, bound, submitted });
  } else if (dice.roll() < OTHER_HEADER) {
    const other = await sign(dice.pick(run.payers), acceptance, false);
    void send('settle', SETTLE, key, call(other.header), other.nonce);
  }
  return repeat(run, settle, doubled, onEnd);
}

const ask = ({ apiUrls, history, number }: Run, what: string, call: Call) =>
  askOneOf(apiUrls, number, call, (api, attempt, askedAt, told) =>
    history.note('call', { journey: number, call: what, api, attempt, askedAt, http: told?.http ?? null }),
  );

export const CREATE = '/sdk/public/payments/intents/x402';
const CONFIRM = '/sdk/public/payments/intents/x402/upto/confirm';
const SETTLE_UPTO = '/sdk/payments/x402/upto/settle';
const SETTLE = '/sdk/public/payments/x402/settle';
const ENDS: ReadonlySet<unknown> = new Set(['succeeded', 'completed', 'failed', 'mismatched']);

async function repeat(
  run: Run,
  ask: () => Promise<Told | undefined>,
  doubled: boolean,
  onEnd: (told: Told) => void,
): Promise<AskAgain> {
  if (doubled) void ask();
  const ended = await until(run, async () => {
    const told = await ask();
    return told?.http === 200 && ENDS.has(told.body['status']) ? told : undefined;
  });
  if (ended === undefined) return undefined;
  onEnd(ended);
  return ask;
}

/** To a wallet of the merchant's own, with a nonce that the payer's client may take. */
const isDirect = ({ extra }: Acceptance): boolean => extra.svc?.authorizationType === 'TransferWithAuthorization';

async function sign(payer: Payer, acceptance: Acceptance, bound: boolean): Promise<Signed> {
  const header = await signHeader(payer, acceptance, WINDOW_SECONDS, bound);
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    payload: { authorization: { nonce: string } };
  };
  return { header, nonce: payload.authorization.nonce };
}

const WINDOW_SECONDS = 290;

async function until<Value>({ endMs }: Run, attempt: () => Promise<Value | undefined>): Promise<Value | undefined> {
  for (;;) {
    const value = await attempt();
    if (value !== undefined || nowMs() > endMs) return value;
    await sleep(PAUSE_MS);
  }
}

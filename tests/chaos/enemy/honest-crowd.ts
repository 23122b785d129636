// Honest payers at a fixed rate: each payment begins when it is due, whether or not the ones before have ended, and its
// latency counts from then. A tenth are contract wallets that pay again and again. Beside them come contract wallets that
// nobody has seen before. Some intents are created by the shop's server under its order's number, and some payers follow
// their intent by an event stream.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import type { Shop } from '../../e2e/open-shop.ts';
import type { Acceptance } from '../../e2e/wallet.ts';
import type { ClientPayment } from '../burner/judge-payments.ts';
import type { PaymentAnswer } from '../burner/pay-intent.ts';
import { createAskChain } from '../checker/ask-chain.ts';
import type { Dice } from '../harness/dice.ts';
import { type ApiAnswer, type ApiClient, bodyOf } from './api-client.ts';
import type { EnemyWorld } from './enemy-world.ts';
import { fund } from './fund.ts';
import { holdStream } from './hold-stream.ts';
import { CREATE, SETTLE, TOKEN } from './hostile-payment.ts';
import { orderKey } from './order-key.ts';
import { type EnemyPayer, payerNamed, signPayment } from './sign-payment.ts';

/** `wallet`: a contract wallet that pays often. `fresh`: one that pays for the first time. */
export type CrowdKind = 'key' | 'wallet' | 'fresh';
export type CrowdPayment = ClientPayment & {
  readonly kind: CrowdKind;
  readonly latencyMs: number;
  /** On the clock of the crowd. */
  readonly dueMs: number;
};
type CrowdPayer = EnemyPayer & { readonly kind: CrowdKind; readonly clientAddress: string };

export type HonestCrowd = {
  /** Payments at the rate until the time is over; their ends are awaited by `ended`. */
  readonly payFor: (seconds: number, into: CrowdPayment[]) => Promise<void>;
  readonly started: () => number;
  readonly finished: () => number;
  readonly streams: () => { readonly asked: number; readonly refused: number };
  readonly ended: () => Promise<void>;
};

type CrowdPlan = {
  readonly perSecond: number;
  /** A payer pays once in so many seconds. */
  readonly roundSeconds: number;
  readonly totalSeconds: number;
  readonly seed: number;
  /** How long a payer tries, from the moment its payment is due. */
  readonly patienceMs: number;
};

const WALLET_PART = 10;
/** Fresh contract wallets: one beside so many others. */
const FRESH_PART = 50;
const BY_SERVER = 0.2;
const STREAMED = 0.1;
const PAUSE_MS = 300;
const PAYMENTS_EACH = 10_000n;

export async function openCrowd(
  world: EnemyWorld,
  client: ApiClient,
  { perSecond, roundSeconds, totalSeconds, seed, patienceMs }: CrowdPlan,
  dice: Dice,
): Promise<HonestCrowd> {
  const { shops, ground } = world;
  const count = perSecond * roundSeconds;
  const fresh = Math.ceil((perSecond * totalSeconds) / FRESH_PART) + 1;
  const payers = Array.from({ length: count }, (_, index): CrowdPayer => {
    const kind = index % WALLET_PART === 0 ? 'wallet' : 'key';
    return { ...payerNamed(seed, `honest ${index}`), kind, clientAddress: `10.1.${index >> 8}.${index & 255}` };
  });
  const newcomers = Array.from({ length: fresh }, (_, index): CrowdPayer => {
    const clientAddress = `10.2.${index >> 8}.${index & 255}`;
    return { ...payerNamed(seed, `fresh ${index}`), kind: 'fresh', clientAddress };
  });
  const regulars = dice.shuffled(payers.map((payer) => withWallet(payer)));
  const strangers = newcomers.map((payer) => withWallet(payer));
  const wallets = [...regulars, ...strangers].filter(({ kind }) => kind !== 'key');
  const askChain = createAskChain(ground.rpcUrl);
  await askChain(
    wallets.map(({ address, signer }) => ['anvil_setCode', [address, world.walletCodeOf(signer.address)]] as const),
  );
  const price = BigInt(ground.priceAtomic);
  await fund(
    ground,
    [...regulars, ...strangers].map(({ address }) => address),
    price * PAYMENTS_EACH,
  );

  const orders = new Map<Shop, number>();
  const nextOrder = (shop: Shop): number => {
    const number = orders.get(shop) ?? 0;
    orders.set(shop, number + 1);
    return number;
  };
  const streams = { asked: 0, refused: 0 };
  const open: Promise<void>[] = [];
  let finished = 0;
  let turn = 0;
  let newcomer = 0;

  const create = (shop: Shop, { clientAddress: address }: CrowdPayer, byServer: boolean) => {
    const body = { usdAmount: ground.priceUsd, tokenShortcode: TOKEN };
    const server = shops.indexOf(shop);
    return byServer
      ? {
          path: CREATE,
          key: shop.secretKey,
          address: `10.3.0.${server}`,
          body,
          headers: { 'idempotency-key': orderKey(nextOrder(shop)) },
        }
      : { path: CREATE, key: shop.publishableKey, address, body };
  };

  const payOnce = async (payer: CrowdPayer, shop: Shop, untilMs: number): Promise<ClientPayment> => {
    const request = create(shop, payer, dice.roll() < BY_SERVER);
    const streamed = dice.roll() < STREAMED;
    const offered = await again(untilMs, () => client.ask(request), isOffer);
    if (offered?.http !== 402) return { intentId: undefined, nonce: undefined, answer: answerOf(offered) };
    const { paymentIntentId: intentId, accepts } = bodyOf(offered) as {
      paymentIntentId: string;
      accepts: readonly Acceptance[];
    };
    const [acceptance] = accepts;
    if (acceptance === undefined) throw new Error('an intent accepts nothing');
    const stream = streamed ? followIntent(intentId, shop, payer) : undefined;
    const { header, nonce } = await signPayment(payer, acceptance);
    const body = { paymentIntentId: intentId, paymentHeader: header, paymentRequirements: acceptance };
    const settle = { path: SETTLE, key: shop.publishableKey, address: payer.clientAddress, body };
    const answer = answerOf(await again(untilMs, () => client.ask(settle), isSettled));
    (await stream)?.end();
    return { intentId, nonce, answer };
  };
  const followIntent = async (intentId: string, { publishableKey }: Shop, { clientAddress }: CrowdPayer) => {
    streams.asked += 1;
    const path = `/sdk/public/payments/intents/${intentId}/stream?publishableKey=${publishableKey}`;
    const stream = await holdStream(client.nextUrl(), path, clientAddress);
    if (stream.http !== 200) streams.refused += 1;
    return stream;
  };

  const begin = async (payer: CrowdPayer, dueMs: number, into: CrowdPayment[]) => {
    const paid = await payOnce(payer, dice.pick(shops), dueMs + patienceMs);
    finished += 1;
    into.push({ ...paid, kind: payer.kind, dueMs, latencyMs: performance.now() - dueMs });
  };
  return {
    payFor: async (seconds, into) => {
      const beganMs = performance.now();
      for (let index = 0; index < seconds * perSecond; index += 1) {
        const dueMs = beganMs + (index * 1_000) / perSecond;
        await sleep(Math.max(0, dueMs - performance.now()));
        const payer = regulars[turn++ % regulars.length];
        if (payer !== undefined) open.push(begin(payer, dueMs, into));
        const stranger = index % FRESH_PART === 0 ? strangers[newcomer++] : undefined;
        if (stranger !== undefined) open.push(begin(stranger, dueMs, into));
      }
      await sleep(Math.max(0, beganMs + seconds * 1_000 - performance.now()));
    },
    started: () => open.length,
    finished: () => finished,
    streams: () => ({ ...streams }),
    ended: async () => void (await Promise.all(open)),
  };
}

/** A contract wallet's address is not its owner's; the owner signs. */
function withWallet(payer: CrowdPayer): CrowdPayer {
  return payer.kind === 'key' ? payer : { ...payer, address: walletAddressOf(payer.signer.address) };
}

const walletAddressOf = (owner: Address): Hex => `0x5a${owner.slice(4)}`;

const isOffer = (answer: ApiAnswer): boolean => answer.http === 402;
const isSettled = (answer: ApiAnswer): boolean => bodyOf(answer)['status'] === 'succeeded';

/** What was not answered well is asked again, after as long as the answer says, while its payer is patient. */
async function again(
  untilMs: number,
  attempt: () => Promise<ApiAnswer | undefined>,
  isGood: (answer: ApiAnswer) => boolean,
): Promise<ApiAnswer | undefined> {
  for (;;) {
    const answer = await attempt();
    if (answer !== undefined && (isGood(answer) || isFinal(answer))) return answer;
    if (performance.now() > untilMs) return answer;
    await sleep(Math.max(PAUSE_MS, answer?.retryAfterMs ?? 0));
  }
}

function isFinal(answer: ApiAnswer): boolean {
  const { status, retryable } = bodyOf(answer);
  return status !== 'processing' && retryable !== true;
}

function answerOf(answer: ApiAnswer | undefined): PaymentAnswer {
  if (answer === undefined) return { status: 'unknown' };
  const { status, error, retryable } = bodyOf(answer);
  if (answer.http === 200 && (status === 'succeeded' || status === 'processing')) return { status };
  const code = typeof error === 'string' ? error : `http_${answer.http}`;
  return { status: answer.http === 200 ? 'failed' : 'refused', code, retryable: retryable === true };
}

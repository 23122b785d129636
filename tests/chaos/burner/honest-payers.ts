// Payers by key at a fixed rate: each payment begins when it is due, whether or not the ones before have ended, and its
// latency counts from then.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Payer, payerOf, signHeader } from '../../e2e/wallet.ts';
import type { Dice } from '../harness/dice.ts';
import { type BurnerWorld, PRICE } from './burner-world.ts';
import { createIntent, nonceOf, type OpenIntent, type PaymentAnswer, settleIntent } from './pay-intent.ts';

export type HonestPayment = {
  readonly intentId: string | undefined;
  readonly nonce: string | undefined;
  readonly answer: PaymentAnswer;
  readonly latencyMs: number;
};

export type HonestPayers = {
  /** Payments at the rate until the time is over; their ends are awaited by `ended`. */
  readonly payFor: (seconds: number, into: HonestPayment[]) => Promise<void>;
  readonly started: () => number;
  readonly finished: () => number;
  readonly ended: () => Promise<void>;
};

const PAYERS = 50;
const PAYMENTS_EACH = 1_000n;
const PATIENCE_MS = 90_000;
const PAUSE_MS = 300;

export async function openHonestPayers(world: BurnerWorld, perSecond: number, dice: Dice): Promise<HonestPayers> {
  const { chain, shops } = world;
  const keys = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey()));
  const held = PRICE.atomic * PAYMENTS_EACH;
  await Promise.all(keys.map(({ account }) => chain.mint(chain.tokens.usdc, account.address, held)));
  const payers = keys.map(({ account }) => payerOf(account));
  const open: Promise<void>[] = [];
  let finished = 0;
  const begin = async (dueMs: number, into: HonestPayment[]) => {
    const paid = await payOnce(world.apiUrl, dice.pick(shops), dice.pick(payers), dueMs + PATIENCE_MS);
    finished += 1;
    into.push({ ...paid, latencyMs: performance.now() - dueMs });
  };
  return {
    payFor: async (seconds, into) => {
      const beganMs = performance.now();
      for (let index = 0; index < seconds * perSecond; index += 1) {
        const dueMs = beganMs + (index * 1_000) / perSecond;
        await sleep(Math.max(0, dueMs - performance.now()));
        open.push(begin(dueMs, into));
      }
      await sleep(Math.max(0, beganMs + seconds * 1_000 - performance.now()));
    },
    started: () => open.length,
    finished: () => finished,
    ended: async () => void (await Promise.all(open)),
  };
}

type Shop = BurnerWorld['shops'][number];
type Paid = Omit<HonestPayment, 'latencyMs'>;

/** What was not answered, or not answered yet, is asked again with the same header. */
async function payOnce(apiUrl: string, shop: Shop, payer: Payer, untilMs: number): Promise<Paid> {
  const intent = await again(untilMs, () => createIntent(apiUrl, shop));
  if ('status' in intent) return { intentId: undefined, nonce: undefined, answer: intent };
  const header = await signHeader(payer, intent.acceptance);
  const answer = await again(untilMs, () => settleIntent(apiUrl, shop, intent, header));
  return { intentId: intent.intentId, nonce: nonceOf(header), answer };
}

const isOver = (answer: PaymentAnswer | OpenIntent): boolean =>
  !('status' in answer) || answer.status === 'succeeded' || ('retryable' in answer && !answer.retryable);

async function again<Answer extends PaymentAnswer | OpenIntent>(
  untilMs: number,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await attempt();
    if (isOver(answer) || performance.now() > untilMs) return answer;
    await sleep(PAUSE_MS);
  }
}

import { describe, expect, test } from 'vitest';
import { SELECTORS } from '../evm/words.ts';
import { events, INTENT_ID, offered, refused, SAMPLE, settled, stands } from '../testing/fake-service.ts';
import type { FakeWallet } from '../testing/fake-wallet.ts';
import { memoryShelf } from '../testing/memory-shelf.ts';
import { payWorld, type WorldOptions } from '../testing/pay-world.ts';
import { type ChainWallet, chainWallet, processorOption, recommended, regularly } from '../testing/regular-actors.ts';
import { createSentPayments, type Shelf } from './sent-payments.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'base_usdc' } as const;
const open = stands('requires_payment');
const found = {
  regular: [regularly(processorOption())],
  notify: [open],
  stream: [events((stands('completed') as { body: unknown }).body)],
};
const paysOnce = (provider: FakeWallet) => expect((provider as ChainWallet).sentTo(SELECTORS.pay)).toHaveLength(1);

describe('a page that was loaded again', () => {
  const INTENT = { paymentIntentId: INTENT_ID, clientSecret: 'test_acct_1_abc' } as const;
  const beside = { code: 'outcome_unknown', moneyMoved: 'unknown', reason: 'earlier_payment' };
  const loaded = (storage: Shelf, answers: NonNullable<WorldOptions['answers']>, startMs?: number) =>
    payWorld({
      answers: { ...found, status: [open], ...answers },
      provider: chainWallet(),
      storage,
      ...(startMs && { startMs }),
    });

  test('sends nothing beside a header that an earlier page showed and that was refused, until it is dead', async () => {
    const storage = memoryShelf();
    const first = loaded(storage, { offer: [offered(SAMPLE)], settle: [refused(422, 'insufficient_funds')] });
    expect(await first.failure(first.pay.createPayment(INTENT))).toMatchObject({ code: 'insufficient_funds' });
    const second = loaded(storage, { offer: [offered()] }, first.time.nowMs());
    expect(await second.failure(second.pay.createPayment(INTENT))).toMatchObject(beside);
    expect(second.service.of('regular')).toEqual([]);
    const third = loaded(storage, { offer: [offered()] }, first.time.nowMs() + 361_000);
    await third.time.run(third.pay.createPayment(INTENT));
    paysOnce(third.provider);
  });

  test('signs nothing beside a transaction that an earlier page sent', async () => {
    const storage = memoryShelf();
    const first = loaded(storage, { offer: [offered()], stream: ['silence'] });
    await first.failure(first.pay.createPayment(INTENT, { timeoutMs: 10_000 }));
    const second = loaded(storage, { offer: [offered(SAMPLE)] }, first.time.nowMs() + 3_600_000);
    expect(await second.failure(second.pay.createPayment(INTENT))).toMatchObject(beside);
    expect(second.provider.signed()).toEqual([]);
  });

  test('keeps the time alone, and drops what can’t pay any more', async () => {
    const storage = memoryShelf();
    createSentPayments(storage, () => 0).save('pi_old', { untilMs: 1_000, isTransaction: false });
    createSentPayments(storage, () => 1_001).save('pi_new', { untilMs: 2_000, isTransaction: false });
    expect(storage.length).toBe(1);
    expect(storage.getItem('svc-pay-sent:pi_new')).toBe('{"untilMs":2000,"isTransaction":false}');
  });

  test.each([
    ['nonsense', 'nonsense'],
    ['a time that is none', '{"untilMs":"2099"}'],
  ])('is not held up by %s in its storage', async (_, text) => {
    const storage = memoryShelf();
    storage.setItem(`svc-pay-sent:${INTENT_ID}`, text);
    const { pay, time, provider } = loaded(storage, { offer: [offered()] });
    await time.run(pay.createPayment(INTENT));
    paysOnce(provider);
  });

  test('without storage that works remembers for as long as it lives', async () => {
    const broken = new Proxy({} as Shelf, {
      get() {
        throw new Error('forbidden');
      },
    });
    const { pay, failure } = loaded(broken, {
      offer: [offered(SAMPLE), offered()],
      settle: [refused(422, 'insufficient_funds')],
    });
    await failure(pay.createPayment(INTENT));
    expect(await failure(pay.createPayment(INTENT))).toMatchObject(beside);
  });
});

describe('an earlier signed payment of another intent', () => {
  test('holds the regular flow back until it is dead, and X402 not at all', async () => {
    const provider = chainWallet();
    const { pay, time, failure } = payWorld({
      answers: { intent: [recommended, recommended, offered(SAMPLE)], settle: [settled('succeeded')], ...found },
      provider,
    });
    const earlierUntilMs = time.nowMs() + 60_000;
    expect(await failure(pay.createPayment(REQUEST, { earlierUntilMs }))).toMatchObject({ reason: 'earlier_payment' });
    expect(provider.sent).toEqual([]);
    await time.run(time.sleep(60_001, new AbortController().signal));
    await time.run(pay.createPayment(REQUEST, { earlierUntilMs }));
    paysOnce(provider);
    const signed = await time.run(pay.createPayment(REQUEST, { earlierUntilMs: Number.MAX_SAFE_INTEGER }));
    expect(signed).toMatchObject({ status: 'completed' });
  });
});

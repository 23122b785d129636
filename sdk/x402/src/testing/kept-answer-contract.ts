// What every adapter promises about answers that are asked for again, as tests that each is put through with its own kind of
// server.
import { expect, test } from 'vitest';
import { fakeFacilitator, type Script, SETTLED, TRANSACTION, unsettled, VALID } from './fake-facilitator.ts';
import { type Handler, openSale, PRICE, SECRET, type Serve } from './open-sale.ts';
import { paymentFor } from './sample-payment.ts';

export function testKeptAnswerContract(serve: Serve): void {
  const open = (script?: Script, answer?: Handler) => openSale(serve, script, answer);

  test('a pending payment is 202 with an address, not a 402; whoever asks there has the kept answer once it is paid', async () => {
    const pending = unsettled('settlement_pending', TRANSACTION);
    const { pay, ask, handler, callsOf } = await open({ '/x402/settle': [pending, pending, SETTLED] });
    const first = await pay();
    const { statusUrl } = (await first.clone().json()) as { statusUrl: string };
    for (const answer of [first, await ask(statusUrl)]) {
      expect(answer.status).toBe(202);
      expect(answer.headers.get('payment-required')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('private, no-store');
      expect(answer.headers.get('location')).toBe(statusUrl);
      expect(await answer.json()).toMatchObject({ transaction: TRANSACTION, statusUrl });
    }
    for (let times = 0; times < 2; times += 1) expect(await (await ask(statusUrl)).text()).toBe(SECRET);
    expect(handler).toHaveBeenCalledOnce();
    expect(callsOf('/x402/settle')).toHaveLength(3);
  });

  test('who rebuilds a pending payment from the chain has neither the answer nor its address', async () => {
    const pending = unsettled('settlement_pending', TRANSACTION);
    const { pay, ask } = await open({ '/x402/settle': [pending, SETTLED] });
    const { statusUrl } = (await (await pay()).json()) as { statusUrl: string };
    const stranger = await pay();
    expect([stranger.status, stranger.headers.get('location')]).toEqual([409, null]);
    expect(await (await ask(statusUrl)).text()).toBe(SECRET);
    expect((await pay()).status).toBe(409);
    const guessed = await ask(statusUrl.replace(/.$/, 'x'));
    expect([guessed.status, guessed.headers.get('payment-required')]).toEqual([409, null]);
  });

  test('an answer that arrived does not leave again: whoever rebuilds the payment from the chain has 409', async () => {
    const { pay, handler, callsOf } = await open();
    expect(await (await pay()).text()).toBe(SECRET);
    const again = await pay();
    expect([again.status, again.headers.get('payment-required')]).toEqual([409, null]);
    expect(await again.text()).not.toContain(SECRET);
    expect(handler).toHaveBeenCalledOnce();
    expect(callsOf('/x402/verify')).toHaveLength(1);
  });

  test('with a long idempotency key of the buyer the answer leaves again, and for nobody without it', async () => {
    const leased = { body: { isValid: false, invalidReason: 'duplicate_settlement' } };
    const { post, payment, handler } = await open({ '/x402/verify': [VALID, leased] });
    const mine = { ...payment, 'idempotency-key': '0123456789abcdef' } as Record<string, string>;
    for (let times = 0; times < 2; times += 1) expect(await (await post(mine)).text()).toBe(SECRET);
    const others = [payment, { ...payment, 'idempotency-key': 'fedcba9876543210' }, { ...mine, cookie: 'session=1' }];
    for (const headers of others as Record<string, string>[]) {
      const answer = await post(headers);
      expect([answer.status, await answer.text()]).toEqual([409, expect.not.stringContaining(SECRET)]);
    }
    expect(handler).toHaveBeenCalledOnce();
  });

  test('an authorization that all buyers may share, or a short key, does not let the answer leave again', async () => {
    for (const shared of [{ authorization: 'Bearer of everybody' }, { 'idempotency-key': 'order-7' }]) {
      const { post, payment } = await open();
      const headers = { ...payment, ...shared } as Record<string, string>;
      expect(await (await post(headers)).text()).toBe(SECRET);
      expect((await post(headers)).status).toBe(409);
    }
  });

  test('with an identifier in the payment the same request asks for a pending answer, whatever its other headers', async () => {
    const script = { '/x402/settle': [unsettled('settlement_pending', TRANSACTION), SETTLED] };
    const { post, unpaid, handler, callsOf } = await open(script);
    const headers = { 'payment-signature': paymentFor(unpaid, {}, 'pay_0123456789abcdef') };
    expect((await post(headers)).status).toBe(202);
    expect(await (await post({ ...headers, cookie: 'session=1' })).text()).toBe(SECRET);
    expect(await (await post({ ...headers, authorization: 'Bearer renewed' })).text()).toBe(SECRET);
    expect(handler).toHaveBeenCalledOnce();
    expect(callsOf('/x402/settle')).toHaveLength(2);
  });

  test('a log that fails loses no answer that was paid for', async () => {
    const pending = unsettled('settlement_pending', TRANSACTION);
    for (const onProblem of [() => Promise.reject(new Error('full')), () => JSON.parse('{')]) {
      const fake = await fakeFacilitator({ '/x402/settle': [pending, SETTLED] });
      const send = await serve({ ...fake.options, onProblem }, PRICE, async () => ({ status: 200, body: SECRET }));
      const headers = { 'payment-signature': paymentFor(await send({ method: 'POST' }), {}, 'pay_0123456789abcdef') };
      await send({ method: 'POST', headers });
      expect(await (await send({ method: 'POST', headers })).text()).toBe(SECRET);
    }
  });

  test('ten requests with one payment at once run one handler, settle once, and the answer leaves once', async () => {
    const { pay, handler, callsOf } = await open();
    const bought = async () => {
      const answer = await pay();
      return [answer.status, (await answer.text()) === SECRET];
    };
    const answers = await Promise.all(Array.from({ length: 10 }, bought));
    expect(answers.filter(([status, isWhole]) => status === 200 && isWhole)).toHaveLength(1);
    expect(answers.filter(([status, isWhole]) => status === 409 && !isWhole)).toHaveLength(9);
    expect(handler).toHaveBeenCalledOnce();
    expect(callsOf('/x402/settle')).toHaveLength(1);
  });
}

// What every adapter promises about the order of a protected request, as tests that each is put through with its own kind of
// server.
import { expect, test } from 'vitest';
import { PAYER, type Script, SETTLED, TRANSACTION, unsettled } from './fake-facilitator.ts';
import { CACHED, type Handler, openSale, SECRET, type Serve } from './open-sale.ts';
import { decoded, encoded, paymentFor } from './sample-payment.ts';

export function testProtectContract(serve: Serve): void {
  const open = (script?: Script, answer?: Handler) => openSale(serve, script, answer);

  test('without a payment the answer is 402 with the price in both versions, and the handler does not run', async () => {
    const { unpaid, handler, seen } = await open();
    expect(unpaid.status).toBe(402);
    expect(unpaid.headers.get('cache-control')).toBe('private, no-store');
    expect(decoded(unpaid.headers.get('payment-required'))).toMatchObject({
      x402Version: 2,
      resource: { url: expect.stringMatching(/^https?:\/\/.+\/data$/), description: 'words' },
      accepts: [{ scheme: 'exact', network: 'eip155:84532', amount: '10000', extra: { name: 'USDC', version: '2' } }],
      extensions: { 'payment-identifier': { info: { required: false } } },
    });
    expect(await unpaid.json()).toMatchObject({
      x402Version: 1,
      accepts: [{ network: 'base-sepolia', maxAmountRequired: '10000' }],
    });
    expect(handler).not.toHaveBeenCalled();
    expect(seen.map(({ path }) => path)).toEqual(['/x402/supported']);
  });

  test('verify comes before the handler, settle after it and before the answer, with key and payTo filled in', async () => {
    const { pay, order, callsOf } = await open({}, async (body) => ({
      status: 200,
      body: `echo ${body}`,
      headers: CACHED,
    }));
    const paid = await pay('unread body');
    expect(await paid.text()).toBe('echo unread body');
    expect(order).toEqual(['/x402/supported', '/x402/verify', 'handler']);
    const [settle] = callsOf('/x402/settle');
    expect(settle).toMatchObject({
      headers: { authorization: 'Bearer sk_test_key' },
      body: { x402Version: 2, paymentRequirements: { payTo: expect.stringMatching(/^0x22/) } },
    });
    expect(settle?.body).toEqual(callsOf('/x402/verify')[0]?.body);
    expect(decoded(paid.headers.get('payment-response'))).toEqual(SETTLED.body);
    expect(paid.headers.get('cache-control')).toBe('private, no-store');
    expect(paid.headers.get('x-own')).toBe('kept');
  });

  test.each([400, 404, 500])('a handler that answers %i settles nothing, and its answer leaves', async (status) => {
    const { pay, callsOf } = await open({}, async () => ({ status, body: 'sorry' }));
    const answer = await pay();
    expect([answer.status, await answer.text()]).toEqual([status, 'sorry']);
    expect(answer.headers.get('payment-response')).toBeNull();
    expect(callsOf('/x402/settle')).toEqual([]);
  });

  test('a handler that throws settles nothing', async () => {
    const { post, payment, callsOf } = await open({}, async () => Promise.reject(new Error('broken')));
    const status = await post(payment).then(
      (answer) => answer.status,
      () => 500,
    );
    expect(status).toBe(500);
    expect(callsOf('/x402/settle')).toEqual([]);
  });

  test('a payment that fails to settle is 402, and nothing of the handler’s answer leaves', async () => {
    const { pay, handler } = await open({ '/x402/settle': [unsettled('invalid_exact_evm_insufficient_balance')] });
    const answer = await pay();
    expect(answer.status).toBe(402);
    expect(await answer.text()).not.toContain(SECRET);
    expect(answer.headers.get('x-own')).toBeNull();
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: false });
    expect(decoded(answer.headers.get('payment-required'))).toMatchObject({ accepts: [{ amount: '10000' }] });
    expect(handler).toHaveBeenCalledOnce();
  });

  test('a payment that somebody else settled is 409 without a new price, and the answer does not leave', async () => {
    const { pay } = await open({ '/x402/settle': [unsettled('duplicate_settlement', TRANSACTION)] });
    const answer = await pay();
    expect([answer.status, answer.headers.get('payment-required')]).toEqual([409, null]);
    expect(await answer.text()).not.toContain(SECRET);
  });

  test('a settle whose answer is lost is asked again, and without any answer the payment is pending', async () => {
    const joined = await open({ '/x402/settle': ['hang up', { status: 502, body: 'proxy' }, SETTLED] });
    expect(await (await joined.pay()).text()).toBe(SECRET);
    const lost = await open({ '/x402/settle': ['hang up'] });
    const answer = await lost.pay();
    expect([answer.status, await answer.text()]).toEqual([202, expect.not.stringContaining(SECRET)]);
    expect(lost.problems).toContainEqual(expect.objectContaining({ step: 'settle' }));
  });

  test('a payment that is not valid is 402 with the reason; one that is spent or that another request has is 409, without a new price', async () => {
    const invalid = { body: { isValid: false, invalidReason: 'invalid_exact_evm_signature', payer: PAYER } };
    const leased = { body: { isValid: false, invalidReason: 'duplicate_settlement' } };
    const spent = { body: { isValid: false, invalidReason: 'invalid_exact_evm_nonce_already_used' } };
    const { pay, handler } = await open({ '/x402/verify': [invalid, leased, spent] });
    const refused = await pay();
    expect(refused.status).toBe(402);
    expect(decoded(refused.headers.get('payment-required')).error).toContain('invalid_exact_evm_signature');
    for (const inUse of [await pay(), await pay()])
      expect([inUse.status, inUse.headers.get('payment-required')]).toEqual([409, null]);
    expect(handler).not.toHaveBeenCalled();
  });

  test('when the service can’t be asked the answer is 503, neither a 402 nor the body', async () => {
    const { pay, handler } = await open({ '/x402/verify': ['hang up'] });
    expect((await pay()).status).toBe(503);
    expect(handler).not.toHaveBeenCalled();
    const down = await open({ '/x402/supported': [{ status: 401, body: { error: 'key_invalid' } }] });
    expect(down.unpaid.status).toBe(503);
    expect(down.problems).toContainEqual(expect.objectContaining({ step: 'supported' }));
    const nowhere = await open({ '/x402/supported': [{ body: { kinds: [], extensions: [], signers: {} } }] });
    expect(nowhere.unpaid.status).toBe(503);
    expect(nowhere.problems).toEqual([{ step: 'supported', message: expect.stringContaining('direct payout') }]);
  });

  test('two payments in one request, other terms, or no readable payment are never verified', async () => {
    const { post, payment, unpaid, callsOf, handler } = await open();
    const { 'payment-signature': header = '' } = payment;
    const cheaper = paymentFor(unpaid, { amount: '1' });
    const otherExtra = paymentFor(unpaid, { extra: { name: 'USDC', version: '2', more: 1 } });
    for (const headers of [
      { 'payment-signature': `${header}, ${header}` },
      { 'payment-signature': header, 'x-payment': header },
      { 'payment-signature': cheaper },
      { 'payment-signature': otherExtra },
      { 'payment-signature': 'not base64!' },
      { 'payment-signature': encoded({ x402Version: 2 }) },
    ] as Record<string, string>[]) {
      expect((await post(headers)).status).toBe(402);
    }
    expect(callsOf('/x402/verify')).toEqual([]);
    expect(handler).not.toHaveBeenCalled();
  });
}

// What every adapter promises, as tests that each of them is put through with its own kind of server.
import { expect, test, vi } from 'vitest';
import type { WebhookOptions } from '../answer/answer-delivery.ts';
import { createReceiver } from '../receive/receiver.ts';
import { ACCOUNT_KEY, now, sampleEvent, signed } from './sample-event.ts';

type Deliver = (body: Uint8Array, headers: Record<string, string>) => Promise<{ status: number; text: string }>;
export type Serve = (options: WebhookOptions) => Promise<Deliver>;

export const receiver = createReceiver({ secrets: [ACCOUNT_KEY], now });
const event = sampleEvent();
/** Parsed and written again, these would be other bytes. */
export const body = Buffer.from(`  ${JSON.stringify(event, null, 3).replace('grüß', 'gr\\u00fc\\u00df')}\n`);

export function testAdapterContract(serve: Serve): void {
  test('the bytes arrive as they were signed, and 200 is said after the work', async () => {
    let worked = false;
    const handle = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      worked = true;
    });
    const deliver = await serve({ receiver, handle });
    expect(await deliver(body, signed(body))).toEqual({ status: 200, text: '{"received":true}' });
    expect(worked).toBe(true);
    expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ known: true, event }));
  });

  test.each(['text/plain', 'application/json; charset=latin1', 'application/vnd.svc+json'])(
    'a content type of %s changes nothing',
    async (contentType) => {
      const deliver = await serve({ receiver, handle: () => {} });
      expect(await deliver(body, { ...signed(body), 'content-type': contentType })).toMatchObject({ status: 200 });
    },
  );

  test('a refusal is 400 with its code, no work, and its advice for our own log only', async () => {
    const [handle, onRefusal] = [vi.fn(), vi.fn()];
    const deliver = await serve({ receiver, handle, onRefusal });
    const answer = await deliver(body, signed(body, { key: 'sk_test_other' }));
    expect(answer).toEqual({ status: 400, text: '{"error":"signature_mismatch"}' });
    expect(await deliver(body, { 'content-type': 'application/json' })).toMatchObject({
      text: '{"error":"signature_missing"}',
    });
    expect(handle).not.toHaveBeenCalled();
    const told = { ok: false, code: 'signature_mismatch', advice: expect.stringContaining('secret') };
    expect(onRefusal).toHaveBeenNthCalledWith(1, told);
    expect(JSON.stringify(onRefusal.mock.calls)).not.toContain(ACCOUNT_KEY);
  });

  test('nothing at all is a refusal', async () => {
    const deliver = await serve({ receiver, handle: () => {} });
    expect(await deliver(new Uint8Array(), signed(body))).toMatchObject({ status: 400 });
  });

  test('a body up to the limit is taken, one byte more is 413 without work', async () => {
    const handle = vi.fn();
    const exact = await serve({ receiver, handle, maxBodyBytes: body.length });
    expect(await exact(body, signed(body))).toMatchObject({ status: 200 });
    const short = await serve({ receiver, handle, maxBodyBytes: body.length - 1 });
    expect(await short(body, signed(body))).toMatchObject({ status: 413 });
    expect(handle).toHaveBeenCalledOnce();
  });

  test('work that fails is 500, so that the sender comes again, and the sender learns nothing of why', async () => {
    const onError = vi.fn();
    const error = new Error('password=hunter2');
    const deliver = await serve({ receiver, handle: () => Promise.reject(error), onError });
    expect(await deliver(body, signed(body))).toEqual({ status: 500, text: '{"error":"handler_failed"}' });
    expect(onError).toHaveBeenCalledExactlyOnceWith(error);
  });
}

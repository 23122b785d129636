// Calls under any sequence of answers that the network, a proxy or a broken service may give.
import fc from 'fast-check';
import { expect } from 'vitest';
import { SvcPayError } from '../error/svc-pay-error.ts';
import {
  type Answer,
  events,
  INTENT_ID,
  offered,
  type Route,
  refused,
  SAMPLE,
  settled,
  stands,
} from './fake-service.ts';
import { payWorld } from './pay-world.ts';

const STATUSES = ['requires_payment', 'processing', 'completed', 'failed', 'canceled', 'mismatched'];
const SETTLE_STATUSES = ['succeeded', 'failed', 'processing', 'completed', 'mismatched'];
const elsewhere = { paymentIntent: { id: 'pi_other', status: 'completed' } };

/** What the network, a proxy or a broken service may say in place of an answer. */
const trouble = fc.constantFrom<Answer>(
  'silence',
  'broken',
  { status: 500, body: '<html>oops</html>' },
  { status: 502, body: '' },
  { status: 200, body: '<html>log in</html>' },
  { status: 200, body: {} },
  { status: 200, body: { paymentIntent: { id: INTENT_ID } } },
  { status: 200, body: { status: 'SUCCEEDED', paymentIntent: { id: INTENT_ID, status: 'paid' } } },
  { status: 200, body: { status: 'succeeded', ...elsewhere } },
  { status: 200, body: [null] },
  { status: 200, body: 'null' },
  { status: 204, body: '' },
  { status: 404, body: 'no such page' },
  { status: 429, body: 'slow down', headers: { 'retry-after': '3' } },
  refused(429, 'rate_limited', { retryable: true }),
  refused(503, 'chain_unavailable', { retryable: true }),
  refused(500, 'internal_error', { retryable: true, moneyMoved: 'unknown' }),
  refused(401, 'key_invalid'),
);
const often = <Value>(arbitrary: fc.Arbitrary<Value>, ...others: fc.Arbitrary<Value>[]) =>
  fc.array(fc.oneof(arbitrary, ...others), { minLength: 1, maxLength: 5 });

const answers = fc.record<Partial<Record<Route, readonly Answer[]>>>({
  intent: fc.oneof(
    { weight: 3, arbitrary: fc.constant([offered(SAMPLE)]) },
    { weight: 1, arbitrary: often(trouble, fc.constant(offered(SAMPLE)), fc.constant(offered())) },
  ),
  settle: often(
    trouble,
    fc.constantFrom(...SETTLE_STATUSES).map((status) => settled(status)),
  ),
  notify: often(
    trouble,
    fc.constantFrom(...STATUSES).map((status) => stands(status)),
  ),
  stream: often(
    trouble,
    fc
      .array(fc.constantFrom(...STATUSES.map((status) => stands(status)), 'x', {}, elsewhere), { maxLength: 3 })
      .map((list) => events(...list.map((one) => (typeof one === 'object' && 'body' in one ? one.body : one)))),
  ),
});

function saysCompleted(route: Route, answer: Answer): boolean {
  if (typeof answer === 'string' || answer.status !== 200) return false;
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  if (route === 'settle') return /^\{"status":"(?:succeeded|completed)","paymentIntent":\{"id":"pi_1"/.test(text);
  return text.includes(`"paymentIntent":{"id":"pi_1","status":"completed"}`);
}

const confirms = fc.constantFrom<Answer>(
  { status: 200, body: { ok: true, status: 'requires_payment', paymentIntent: { id: INTENT_ID } } },
  { status: 200, body: { ok: true, status: 'requires_payment', paymentIntent: { id: 'pi_other' } } },
  { status: 200, body: { ok: true, paymentIntent: { id: INTENT_ID } } },
  { status: 200, body: { ok: false, error: 'invalid_signature', paymentIntent: { id: INTENT_ID } } },
  refused(409, 'upto_already_confirmed'),
);

const LONGEST_CALL_MS = 20 * 60_000;

/** The call ends, one end is told, and paid means that the service said so. */
export async function expectPaymentsEnd(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(answers, async (script) => {
      const { pay, time, service, provider, heard, terminals } = payWorld({ answers: script });
      const startMs = time.nowMs();
      const call = pay.createPayment({ usdAmount: '12.50', tokenShortcode: 'base_usdc' });
      const outcome = await time.run(call.catch((problem: unknown) => problem));

      expect(time.nowMs() - startMs).toBeLessThan(LONGEST_CALL_MS);
      expect(terminals()).toHaveLength(1);
      const [end] = terminals();
      expect(heard.at(-1)).toBe(end);
      expect(new Set(heard.map(({ detail }) => detail.attemptId)).size).toBe(1);
      expect(heard.every(({ detail }) => detail.paymentIntentId === INTENT_ID || heard.length === 1)).toBe(true);
      const paid = !(outcome instanceof Error);
      expect(end?.type === 'svc-sdk-transaction-completed').toBe(paid);
      if (paid) expect(service.given.some(({ route, answer }) => saysCompleted(route, answer))).toBe(true);
      else expect(outcome).toBeInstanceOf(SvcPayError);

      const sent = service.of('settle').map(({ body }) => body['paymentHeader']);
      expect(new Set(sent).size).toBeLessThanOrEqual(1);
      expect(provider.signed().length).toBeLessThanOrEqual(1);
      if (sent.length === 0) expect(outcome).toMatchObject({ moneyMoved: 'no' });
      if (sent.length > 0 && service.given.every(({ route }) => route === 'intent' || route === 'node')) {
        expect(outcome).toMatchObject({ moneyMoved: 'unknown' });
      }
    }),
    { numRuns },
  );
}

/** The call ends, confirmed means that the service said so, and failure is told once. */
export async function expectConfirmsEnd(numRuns: number): Promise<void> {
  const intent = [offered({ ...SAMPLE, scheme: 'upto' })];
  await fc.assert(
    fc.asyncProperty(often(trouble, confirms), async (confirm) => {
      const { pay, time, service, terminals } = payWorld({ answers: { intent, confirm } });
      const call = pay.createUptoAuthorization({ usdAmount: '12.50', tokenShortcode: 'base_usdc' });
      const outcome = await time.run(call.catch((problem: unknown) => problem));
      const sent = service.of('confirm').map(({ body }) => body['paymentHeader']);
      expect(new Set(sent).size).toBe(1);
      const last = service.given.at(-1)?.answer;
      const said = typeof last === 'object' ? JSON.stringify(last.body) : '';
      if (outcome instanceof Error) expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-failed' }]);
      else expect([terminals(), said]).toEqual([[], expect.stringMatching(/^\{"ok":true,"status".*"pi_1"/)]);
    }),
    { numRuns },
  );
}

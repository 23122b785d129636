import { expect, test, vi } from 'vitest';
import type { HttpAnswer } from './answer.ts';
import { type Begun, createAnswerStore, type Outcome } from './answer-store.ts';

const MIB = 1_024 * 1_024;
const answerOf = (text: string): HttpAnswer => ({ status: 200, headers: [], body: new TextEncoder().encode(text) });
const request = (key: string, hasSecret = false) => ({ key, hasSecret });
const paid = (text: string, keptBytes = text.length): Outcome => ({ answer: answerOf(text), isPaid: true, keptBytes });
const pendingThen = (outcome: Outcome, ticket = 'ticket'): Outcome => ({
  answer: answerOf('pending'),
  keptBytes: outcome.keptBytes,
  pending: { ticket, resume: async () => outcome },
});
const serving = (outcome: Outcome) => async (): Promise<Begun> => ({ ok: true, serve: async () => outcome });
const textOf = (handed: { readonly answer: HttpAnswer } | undefined) =>
  handed && new TextDecoder().decode(handed.answer.body);
const again = () => vi.fn(async (): Promise<Begun> => ({ ok: false, answer: answerOf('begun again') }));

test('payments that are not taken drop no answer, however many come at once', async () => {
  const store = createAnswerStore(() => 0);
  await store.answer(request('buyer'), serving(pendingThen(paid('goods'))));
  const garbage = Array.from({ length: 3_000 }, (_, index) => store.answer(request(`garbage ${index}`), again()));
  expect(textOf(await store.answerTicket('ticket'))).toBe('goods');
  await Promise.all(garbage);
  expect(textOf(await store.answerTicket('ticket'))).toBe('goods');
});

test('answers that arrived make room first, then kept ones, then pending ones', async () => {
  const store = createAnswerStore(() => 0);
  await store.answer(request('pending'), serving(pendingThen(paid('goods'))));
  await store.answer(request('lost'), serving(paid('kept'))).then((handed) => handed?.arrived(false));
  for (let index = 0; index < 1_500; index += 1)
    await store.answer(request(`done ${index}`), serving(paid('done'))).then((handed) => handed?.arrived(true));
  expect(textOf(await store.answer(request('lost'), again()))).toBe('kept');
  for (let index = 0; index < 1_500; index += 1)
    await store.answer(request(`lost ${index}`), serving(paid('kept'))).then((handed) => handed?.arrived(false));
  expect(textOf(await store.answer(request('lost'), again()))).toBe('begun again');
  expect(textOf(await store.answerTicket('ticket'))).toBe('goods');
});

test('what a pending payment keeps counts toward the memory, and an answer that arrived frees its own', async () => {
  const store = createAnswerStore(() => 0);
  for (let index = 0; index < 5; index += 1)
    await store.answer(request(`pending ${index}`), serving(pendingThen(paid('goods', 8 * MIB), `${index}`)));
  expect(await store.answerTicket('0')).toBeUndefined();
  expect(textOf(await store.answerTicket('1'))).toBe('goods');
  const large = await store.answer(request('large'), serving(paid('large', 8 * MIB)));
  expect(await store.answerTicket('1')).toBeUndefined();
  large?.arrived(true);
  await store.answer(request('next'), serving(paid('next', 8 * MIB)));
  expect(textOf(await store.answerTicket('2'))).toBe('goods');
});

test('a ticket that arrived is the only way to its answer; one that was lost goes to the next request', async () => {
  for (const whole of [false, true]) {
    const store = createAnswerStore(() => 0);
    const first = await store.answer(request('key'), serving(pendingThen(paid('goods'))));
    first?.arrived(whole);
    const next = await store.answer(request('key'), again());
    expect(textOf(next)).toBe(whole ? undefined : 'goods');
    expect(textOf(await store.answerTicket('ticket'))).toBe('goods');
    expect(await store.answerTicket('another')).toBeUndefined();
    next?.arrived(true);
    expect(textOf(await store.answerTicket('ticket'))).toBe(whole ? 'goods' : undefined);
  }
});

test('asking again that fails leaves the payment as pending as before', async () => {
  const store = createAnswerStore(() => 0);
  const resume = vi.fn<() => Promise<Outcome>>(async () => paid('goods')).mockRejectedValueOnce(new Error('broken'));
  const outcome = { answer: answerOf('pending'), keptBytes: 0, pending: { ticket: 'ticket', resume } };
  await store.answer(request('key'), serving(outcome));
  expect(textOf(await store.answerTicket('ticket'))).toBe('pending');
  expect(textOf(await store.answerTicket('ticket'))).toBe('goods');
});

test('a request that waits has the answer when the one before lost it, and nothing when it arrived', async () => {
  for (const whole of [false, true]) {
    const store = createAnswerStore(() => 0);
    const first = await store.answer(request('key'), serving(paid('goods')));
    const second = store.answer(request('key'), again());
    first?.arrived(whole);
    expect(textOf(await second)).toBe(whole ? undefined : 'goods');
  }
});

test('an answer of which nothing is heard for a minute counts as lost', async () => {
  vi.useFakeTimers();
  try {
    const store = createAnswerStore(() => 0);
    const first = await store.answer(request('key'), serving(paid('goods')));
    const second = store.answer(request('key'), again());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(textOf(await second)).toBe('goods');
    first?.arrived(true);
    expect(await store.answer(request('key'), again())).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

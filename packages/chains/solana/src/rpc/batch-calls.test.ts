// Calls of the same moment share a request, and each gets its own answer or its own failure.
import { ChainUnavailable } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { batchCalls } from './batch-calls.ts';
import { parseExact, printExact } from './exact-json.ts';
import { NodeRefusedRequest } from './rpc-answer.ts';

type Body = { readonly id: bigint; readonly method: string; readonly params: readonly unknown[] };

/** A node that answers each call with its parameter. `bend` changes the answer to a batch, or refuses it. */
function nodeWith(bend: (answers: readonly object[]) => unknown = (answers) => answers) {
  const requests: number[] = [];
  let nowMs = 1_000;
  const ask = batchCalls(
    async (text) => {
      const asked = parseExact(text) as Body | readonly Body[];
      const answerTo = ({ id, params }: Body) => ({ jsonrpc: '2.0', id, result: params[0] });
      requests.push(Array.isArray(asked) ? asked.length : 0);
      return printExact(Array.isArray(asked) ? bend(asked.map(answerTo)) : answerTo(asked as Body));
    },
    () => nowMs,
  );
  const askMany = async (count: number, method = 'getSlot') =>
    (await Promise.all(Array.from({ length: count }, (_, index) => ask(method, [`given ${index}`])))).map((answer) =>
      answer.ok ? answer.result : answer.code,
    );
  return { ask, askMany, requests, pass: (ms: number) => void (nowMs += ms) };
}

const given = (count: number) => Array.from({ length: count }, (_, index) => `given ${index}`);

test('sixty calls are a request of fifty and one of ten, and each gets its own answer', async () => {
  const { askMany, requests } = nodeWith();
  expect(await askMany(60)).toEqual(given(60));
  expect(requests).toEqual([50, 10]);
});

test('a call that is alone goes as a single call', async () => {
  const { askMany, requests } = nodeWith();
  expect(await askMany(1)).toEqual(given(1));
  expect(requests).toEqual([0]);
});

test.each([
  ['sendTransaction', [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]],
  ['simulateTransaction', [0, 2, 8]],
])('%s shares no request with reads, and eight simulations share one', async (method, wanted) => {
  const { askMany, requests } = nodeWith();
  const [sent, read] = await Promise.all([askMany(9, method), askMany(2)]);
  expect([sent, read]).toEqual([given(9), given(2)]);
  expect(requests.toSorted((one, other) => one - other)).toEqual(wanted);
});

test('equal reads are one question, and what refuses it refuses each', async () => {
  const { ask, requests } = nodeWith();
  const asked = await Promise.all([1, 2, 3, 4].map((each) => ask('getBlockHeight', [each < 4 ? 'same' : 'other'])));
  expect(asked.map((answer) => answer.ok && answer.result)).toEqual(['same', 'same', 'same', 'other']);
  expect(requests).toEqual([2]);
});

test('answers in another order reach their calls', async () => {
  const { askMany } = nodeWith((answers) => answers.toReversed());
  expect(await askMany(7)).toEqual(given(7));
});

test('a refusal of one call is an answer to that call', async () => {
  const { askMany } = nodeWith((answers) =>
    answers.map((answer, index) =>
      index === 1 ? { jsonrpc: '2.0', id: 2n, error: { code: -32_602n, message: 'no' } } : answer,
    ),
  );
  expect(await askMany(3)).toEqual(['given 0', -32_602n, 'given 2']);
});

test('a call without an answer, or with a malformed one, is unavailable, and no other call is', async () => {
  const { ask } = nodeWith(([first, , third]) => [first, { ...third, result: undefined }]);
  const settled = await Promise.allSettled(['a', 'b', 'c'].map((param) => ask('getSlot', [param])));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual([
    expect.any(ChainUnavailable),
    expect.any(ChainUnavailable),
  ]);
});

describe('a node that takes no batches is asked call by call, and for a batch again after ten minutes', () => {
  test.each<[string, (answers: readonly object[]) => unknown]>([
    ['one body', () => ({ jsonrpc: '2.0', id: null, error: { code: -32_600n, message: 'batches are off' } })],
    ['ids as text', (answers) => answers.map((answer, index) => ({ ...answer, id: String(index) }))],
    ['the same id twice', (answers) => answers.map((answer) => ({ ...answer, id: 1n }))],
    [
      'an HTTP status',
      () => {
        throw new NodeRefusedRequest('batch of 3: HTTP 413');
      },
    ],
  ])('%s', async (_word, bend) => {
    const { askMany, requests, pass } = nodeWith(bend);
    expect(await askMany(3)).toEqual(given(3));
    expect(requests).toEqual([3, 0, 0, 0]);
    pass(599_999);
    expect(await askMany(2)).toEqual(given(2));
    expect(requests.slice(4)).toEqual([0, 0]);
    pass(1);
    expect(await askMany(2)).toEqual(given(2));
    expect(requests.slice(6)).toEqual([2, 0, 0]);
  });
});

test('a silent node is unavailable for every call of the request, and is asked once', async () => {
  const { ask, requests } = nodeWith(() => {
    throw new ChainUnavailable('batch of 2: TimeoutError');
  });
  const settled = await Promise.allSettled([ask('getSlot', ['a']), ask('getSlot', ['b'])]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(requests).toEqual([2]);
});

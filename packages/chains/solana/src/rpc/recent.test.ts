import { ChainUnavailable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { remember } from './recent.ts';
import type { SolanaNode } from './solana-node.ts';

function remembering(...answers: readonly (bigint | ChainUnavailable)[]) {
  const time = { ms: 1_000 };
  let asked = 0;
  const ask = remember(
    async () => {
      const answer = answers[asked++];
      if (answer instanceof ChainUnavailable) throw answer;
      if (answer === undefined) throw new Error('no further answer is expected');
      return answer;
    },
    () => time.ms,
  );
  return { ask, time, asked: () => asked };
}
const node = {} as SolanaNode;

test('a height is asked for once in half a slot, and then again', async () => {
  const { ask, time, asked } = remembering(5n, 6n);
  expect(await Promise.all([ask(node), ask(node)])).toEqual([5n, 5n]);
  time.ms += 199;
  expect(await ask(node)).toBe(5n);
  expect(asked()).toBe(1);
  time.ms += 1;
  expect(await ask(node)).toBe(6n);
});

test('what one node told is never the answer of another', async () => {
  const { ask } = remembering(5n, 900n);
  expect(await ask(node)).toBe(5n);
  expect(await ask({} as SolanaNode)).toBe(900n);
  expect(await ask(node)).toBe(5n);
});

test('a failure is not remembered', async () => {
  const { ask } = remembering(new ChainUnavailable('silent'), 7n);
  await expect(ask(node)).rejects.toThrow(ChainUnavailable);
  expect(await ask(node)).toBe(7n);
});

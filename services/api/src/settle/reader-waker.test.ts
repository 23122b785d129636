import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createReaderWaker } from './reader-waker.ts';

const base = 'eip155:8453' as NetworkId;
const anvil = 'eip155:31337' as NetworkId;

test('however many hints arrive, a reader is woken once in a pause, and each network by itself', () => {
  let now = 0;
  const woken: string[] = [];
  const wake = async (network: NetworkId) => void woken.push(`${network} ${now}`);
  const hint = createReaderWaker({ wake, nowMs: () => now, pauseMs: 2_000, onProblem: () => {} });
  for (now = 0; now <= 4_000; now += 100) {
    hint(base);
    if (now === 100) hint(anvil);
  }
  expect(woken).toEqual([`${base} 0`, `${anvil} 100`, `${base} 2000`, `${base} 4000`]);
});

test('an engine that does not accept is reported, and the caller does not hear of it', async () => {
  const problems: unknown[] = [];
  const hint = createReaderWaker({
    wake: async () => Promise.reject(new Error('down')),
    nowMs: () => 0,
    pauseMs: 1,
    onProblem: (problem, network) => problems.push([String(problem), network]),
  });
  hint(base);
  await Promise.resolve();
  await expect.poll(() => problems).toEqual([['Error: down', base]]);
});

import { ChainUnavailable, type ClaimedPayment, createHeldWatch, type StrandedStore } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createEvmWatchedChain } from './watched-chain.ts';

test('a silent chain fails the run of held payments after one question, and no payment is counted as failed', async () => {
  let questions = 0;
  const silent = () => {
    questions += 1;
    return Promise.reject(new ChainUnavailable('silent'));
  };
  const failures: string[] = [];
  const payments = [1n, 2n, 3n].map((number) => ({ item: { paymentId: `pay_${number}`, number } }));
  const stranded = {
    loadHeldMoney: async () => [],
    loadHeldPayments: async () => payments as unknown as readonly ClaimedPayment[],
    loadSignedTransactions: async () => new Map(),
    loadHeldTransactions: async () => new Map(),
  } satisfies Partial<StrandedStore> as unknown as StrandedStore;
  const chain = createEvmWatchedChain(
    { network: evmNetwork(84_532), voters: async () => [silent], gasCoin: undefined },
    { readFitness: () => Promise.reject(new Error('nobody asks')), extraJobs: [] },
  );
  const watch = createHeldWatch(chain, {
    stranded,
    clock: { nowMs: () => 0 },
    log: () => {},
    countFailure: (_network, watcher) => failures.push(watcher),
  });
  await expect(watch.run()).rejects.toThrow(ChainUnavailable);
  expect({ questions, failures }).toEqual({ questions: 1, failures: [] });
});

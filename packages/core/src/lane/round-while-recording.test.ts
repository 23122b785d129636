import { describe, expect, test } from 'vitest';
import { item, NOW_MS, pending, roundOn, SEQUENCED } from '../testing/round-on.ts';
import type { PendingBatch } from './lane.ts';

describe('a sequenced lane that records a batch', () => {
  const recording = ['batch 6'];
  const pendingBatches = [pending(6n)];

  test('asks the chain about the others alone, and does not offer it again', async () => {
    const asked: string[] = [];
    const chain = {
      findMined: async (batches: readonly PendingBatch[]) => {
        asked.push(...batches.map(({ id }) => id));
        return [];
      },
    };
    const world = { recording, pendingBatches: [...pendingBatches, pending(7n, { sentAtMs: NOW_MS })] };
    expect(await roundOn(SEQUENCED, world, chain)).toEqual({ end: 'waiting', done: [] });
    expect(asked).toEqual(['batch 7']);
  });

  test('counts it among the transactions in flight, and stays awake', async () => {
    const world = { recording, pendingBatches, queue: [item('one')], pace: { maxInFlight: 1 } };
    expect(await roundOn(SEQUENCED, world)).toEqual({ end: 'waiting', done: [] });
  });

  test('sends the next one at once, without comparing its nonce with the chain', async () => {
    const world = { recording, pendingBatches, queue: [item('one')], oldestAtMs: NOW_MS };
    const behind = { minedNonce: async () => 6n, nonceRange: async () => ({ lowest: 6n, highest: 6n }) };
    expect(await roundOn(SEQUENCED, world, behind)).toEqual({
      end: 'moved',
      done: ['store 7:one', 'broadcast tx of one'],
    });
  });
});

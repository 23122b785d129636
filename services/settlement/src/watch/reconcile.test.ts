import { type Lane, laneKey } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createReconciler } from './reconcile.ts';

test('a lane that cannot be woken keeps no other lane asleep', async () => {
  const lanes: readonly Lane[] = ['0x1', '0x2', '0x3'].map((relayer) => ({ network: evmNetwork(1), relayer }));
  const [woken, failed]: [string[], object[]] = [[], []];
  const wake = async (_drain: string, key: string) => {
    if (key.endsWith('0x1')) throw new Error('the engine refuses');
    woken.push(key);
  };
  const job = createReconciler(
    async () => lanes,
    { nowMs: () => 0 },
    wake,
    (details) => failed.push(details),
  );
  await job.run();
  expect(woken).toEqual(lanes.slice(1).map(laneKey));
  expect(failed).toEqual([{ lane: laneKey(lanes[0]!) }]);
});

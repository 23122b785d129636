// The proof that the checker of `npm run chaos -- webhooks` can see.
import { expect, test } from 'vitest';
import { silent } from '../../progress.ts';
import { runWebhooksChaos } from './run-webhooks.ts';

test('a sender that records before it sends is found: deliveries are lost', async () => {
  const kinds = ['sender killed after send'] as const;
  const plan = { deliveries: 200, faults: 1, seed: 12, kinds, bug: 'recordingFirst', patienceMs: 5_000 } as const;
  const { lost } = await runWebhooksChaos(plan, silent);
  expect(lost).toBeGreaterThan(0);
});

test('a sender whose reports count after its lease is found: attempts overlap', async () => {
  const plan = {
    deliveries: 200,
    faults: 2,
    seed: 13,
    kinds: ['sender frozen past its lease'],
    bug: 'withoutFence',
    slowestAnswerMs: 900,
    patienceMs: 5_000,
  } as const;
  const { problems } = await runWebhooksChaos(plan, silent);
  expect(problems).toContainEqual(expect.stringContaining('before the lease before it ended'));
});

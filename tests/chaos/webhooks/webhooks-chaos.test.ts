// The short form of `npm run chaos -- webhooks`, and the proof that its checker can see.
import { expect, test } from 'vitest';
import { silent } from '../../progress.ts';
import type { FaultKind } from './faults.ts';
import { runWebhooksChaos } from './run-webhooks.ts';

const KINDS: readonly FaultKind[] = [
  'sender killed after send',
  'sender frozen past its lease',
  'database crashed',
  'engines emptied',
];

test('a thousand deliveries while senders, database and engines break: none is lost, and none arrives twice without a cause', async () => {
  const result = await runWebhooksChaos({ deliveries: 1_000, faults: 4, seed: 11, kinds: KINDS }, silent);
  console.log(JSON.stringify(result));
  expect(result).toMatchObject({
    lost: 0,
    unexplainedDuplicates: 0,
    problems: [],
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, 1])),
  });
  expect(result.deliveries).toBeGreaterThanOrEqual(1_000);
  expect(result.inFlightP50).toBeGreaterThan(0);
}, 60_000);

test('a sender that records before it sends is found: deliveries are lost', async () => {
  const kinds = ['sender killed after send'] as const;
  const plan = { deliveries: 200, faults: 1, seed: 12, kinds, bug: 'recordingFirst', patienceMs: 5_000 } as const;
  const { lost } = await runWebhooksChaos(plan, silent);
  expect(lost).toBeGreaterThan(0);
}, 60_000);

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
}, 60_000);

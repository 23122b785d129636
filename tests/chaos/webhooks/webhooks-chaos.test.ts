// The short form of `npm run chaos -- webhooks`. That its checker can see: webhooks-chaos.long.test.ts.
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

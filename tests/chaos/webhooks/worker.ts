// The webhooks process as it ships, with a short lease and places to stop at: <lease in ms> [<bug>].
import { startWebhooks } from '@svc-pay/webhooks';
import { readWebhooksConfig } from '@svc-pay/webhooks/config';
import { createHoldPoints, type HoldPoint } from './hold-points.ts';
import { SEEDED_BUGS, type SeededBug } from './seeded-bugs.ts';

const [lease = '', bug] = process.argv.slice(2);
const read = readWebhooksConfig();
if (!read.ok || !/^\d+$/.test(lease)) throw new Error(read.ok ? 'called wrongly' : read.problems.join('; '));
const leaseMs = Number.parseInt(lease, 10);
const seeded = bug === undefined ? undefined : SEEDED_BUGS[bug as SeededBug];
const holds = createHoldPoints((held) => process.send?.({ held }));

process.on('message', (message: { readonly holdAt?: HoldPoint | 'nowhere'; readonly ask?: 'inHand' }) => {
  if (message.holdAt !== undefined) holds.holdAt(message.holdAt);
  if (message.ask === 'inHand') process.send?.({ inHand: holds.inHand() });
});

await startWebhooks(read.config, {
  bend: (parts, pool) => {
    const shorter = { ...parts, leaseMs };
    return holds.bend(seeded?.(shorter, pool) ?? shorter, pool);
  },
});

// The webhooks process as it ships, with a short lease and places to stop at: <lease in ms> [<bug>].
import { startWebhooks } from '@svc-pay/webhooks';
import { readWebhooksConfig } from '@svc-pay/webhooks/config';
import { createPausePoints, type PausePoint } from './pause-points.ts';
import { SEEDED_BUGS, type SeededBug } from './seeded-bugs.ts';

const [lease = '', bug] = process.argv.slice(2);
const read = readWebhooksConfig();
if (!read.ok || !/^\d+$/.test(lease)) throw new Error(read.ok ? 'called wrongly' : read.problems.join('; '));
const leaseMs = Number.parseInt(lease, 10);
const seeded = bug === undefined ? undefined : SEEDED_BUGS[bug as SeededBug];
const pausePoints = createPausePoints((held) => process.send?.({ held }));

process.on('message', (message: { readonly pauseAt?: PausePoint | 'nowhere'; readonly ask?: 'inHand' }) => {
  if (message.pauseAt !== undefined) pausePoints.pauseAt(message.pauseAt);
  if (message.ask === 'inHand') process.send?.({ inHand: pausePoints.inHand() });
});

await startWebhooks(read.config, {
  injectFault: (deps, database) => {
    const shorter = { ...deps, leaseMs };
    return pausePoints.injectFault(seeded?.(shorter, database) ?? shorter, database);
  },
});

// Settlement as it ships, with places to stop at: [<bug>].
import { broadcastingFirst, recordingEarly, type SeededBug, signingAgain } from '@svc-pay/postgres/testing/seeded-bugs';
import { startSettlement } from '@svc-pay/settlement';
import { readSettlementConfig } from '@svc-pay/settlement/config';
import { createLanePausePoints, type LanePoint } from './pause-points.ts';

const BUGS: Readonly<Record<string, SeededBug>> = { broadcastingFirst, recordingEarly, signingAgain };

const read = readSettlementConfig();
if (!read.ok) throw new Error(read.problems.join('; '));
const bug = BUGS[process.argv[2] ?? ''];
const pausePoints = createLanePausePoints((held) => process.send?.({ held }));

process.on('message', (message: { readonly pauseAt?: LanePoint | 'nowhere'; readonly ask?: 'beatAgeMs' }) => {
  if (message.pauseAt !== undefined) pausePoints.pauseAt(message.pauseAt);
  if (message.ask === 'beatAgeMs') process.send?.({ beatAgeMs: pausePoints.lastBeatAgeMs() });
});

await startSettlement(read.config, {
  injectFault: (deps, { pool }) => pausePoints.injectFault(bug?.(deps, pool) ?? deps),
});

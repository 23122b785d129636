// Settlement as it ships, with places to stop at: [<bug>].
import { broadcastingFirst, recordingEarly, type SeededBug, signingAgain } from '@svc-pay/postgres/testing/seeded-bugs';
import { startSettlement } from '@svc-pay/settlement';
import { readSettlementConfig } from '@svc-pay/settlement/config';
import { createLaneHolds, type LanePoint } from './hold-points.ts';

const BUGS: Readonly<Record<string, SeededBug>> = { broadcastingFirst, recordingEarly, signingAgain };

const read = readSettlementConfig();
if (!read.ok) throw new Error(read.problems.join('; '));
const bug = BUGS[process.argv[2] ?? ''];
const holds = createLaneHolds((held) => process.send?.({ held }));

process.on('message', (message: { readonly holdAt?: LanePoint | 'nowhere'; readonly ask?: 'beatAgeMs' }) => {
  if (message.holdAt !== undefined) holds.holdAt(message.holdAt);
  if (message.ask === 'beatAgeMs') process.send?.({ beatAgeMs: holds.lastBeatAgeMs() });
});

await startSettlement(read.config, {
  bend: (parts, { pool }) => holds.bend(bug?.(parts, pool) ?? parts),
});

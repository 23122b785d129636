// Settlement as it ships, with places to stop at: [<bug>].
import { broadcastingFirst, recordingEarly, type SeededBug, signingAgain } from '@svc-pay/postgres/testing/seeded-bugs';
import { startSettlement } from '@svc-pay/settlement';
import { readSettlementConfig } from '@svc-pay/settlement/config';
import { createLanePausePoints, LANE_POINTS, type LanePoint } from './pause-points.ts';
import { createStatementPoints } from './statement-points.ts';

/** The transaction in which a refund completes: at its first write, and before it is committed. */
export type RefundPoint = `${'before' | 'after'} ${'proof' | 'completion'}`;

const BUGS: Readonly<Record<string, SeededBug>> = { broadcastingFirst, recordingEarly, signingAgain };

const read = readSettlementConfig();
if (!read.ok) throw new Error(read.problems.join('; '));
const bug = BUGS[process.argv[2] ?? ''];
const pausePoints = createLanePausePoints((held) => process.send?.({ held }));

const statements = createStatementPoints({ 'prove-refund': 'proof', 'write-refunded-payment': 'completion' });
const isOfLane = (point: string): point is LanePoint => (LANE_POINTS as readonly string[]).includes(point);

process.on(
  'message',
  (message: { readonly pauseAt?: LanePoint | RefundPoint | 'nowhere'; readonly ask?: 'beatAgeMs' }) => {
    const { pauseAt } = message;
    if (pauseAt !== undefined) {
      pausePoints.pauseAt(isOfLane(pauseAt) ? pauseAt : 'nowhere');
      statements.pauseAt(isOfLane(pauseAt) ? 'nowhere' : pauseAt);
    }
    if (message.ask === 'beatAgeMs') process.send?.({ beatAgeMs: pausePoints.lastBeatAgeMs() });
  },
);

await startSettlement(read.config, {
  injectFault: (deps, { pool }) => pausePoints.injectFault(bug?.(deps, pool) ?? deps),
});

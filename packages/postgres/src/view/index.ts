// What an operator may look at without being able to change it: lanes, their batches, and the way of one payment.
export { listIntents, type SeenIntent } from './list-intents.ts';
export { openView, type View } from './open-view.ts';
export { type LaneBatch, type LanesSeen, readLanes, type SeenLane } from './read-lanes.ts';
export { type IntentTrail, traceIntent } from './trace-intent.ts';

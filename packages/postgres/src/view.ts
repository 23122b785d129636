// Read-only view for an operator: lanes, their batches, and the trail of one intent.

export { openView, type View } from './database/open-view.ts';
export { listIntents, type SeenIntent } from './intent/list-intents.ts';
export { type IntentTrail, traceIntent } from './intent/trace-intent.ts';
export { type LaneBatch, type LanesSeen, readLanes, type SeenLane } from './lane/read-lanes.ts';

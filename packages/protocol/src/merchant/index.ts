// Shapes for a merchant's backend: webhook endpoints, events, exports, refunds, lists of payments and intents.
export * from './endpoint.ts';
export * from './event-log.ts';
export * from './export.ts';
export * from './lists.ts';
export * from './overview.ts';
export * from './queries.ts';
export * from './recovery.ts';
export * from './refund.ts';
export * from './timeline.ts';

// Shapes for a merchant's backend: webhook endpoints and events.
export * from './endpoint.ts';
export * from './event-log.ts';
export * from './queries.ts';
export * from './recovery.ts';

// What a merchant's backend asks about its endpoints and events.
export * from './endpoint.ts';
export * from './event-log.ts';
export * from './queries.ts';
export * from './recovery.ts';

// Every line that a service logs: code, level and message. docs/reference/log-events.md is generated from this list. A
// code that is not in the list does not compile.
import { ADMIN_EVENTS } from './log-events/admin-events.ts';
import { API_EVENTS } from './log-events/api-events.ts';
import { CONSOLE_EVENTS } from './log-events/console-events.ts';
import { LANE_EVENTS } from './log-events/lane-events.ts';
import type { LogEventEntry, LogLevel } from './log-events/log-event.ts';
import { PAYOUT_EVENTS } from './log-events/payout-events.ts';
import { ENGINE_EVENTS, PROCESS_EVENTS } from './log-events/process-events.ts';
import { READER_EVENTS } from './log-events/reader-events.ts';
import { NETWORK_EVENTS, WATCH_EVENTS } from './log-events/watch-events.ts';
import { WEBHOOK_EVENTS } from './log-events/webhook-events.ts';

export type { LogLevel } from './log-events/log-event.ts';

/** Sections of docs/reference/log-events.md. */
export const LOG_EVENT_SECTIONS = {
  'Every service': PROCESS_EVENTS,
  Engine: ENGINE_EVENTS,
  API: API_EVENTS,
  'API and settlement: direct payouts': PAYOUT_EVENTS,
  'Settlement: lanes': LANE_EVENTS,
  'Settlement: payments, batches, payouts': WATCH_EVENTS,
  'Settlement: chain reader': READER_EVENTS,
  'Settlement: networks, relayers, RPC endpoints': NETWORK_EVENTS,
  Webhooks: WEBHOOK_EVENTS,
  Admin: ADMIN_EVENTS,
  Console: CONSOLE_EVENTS,
} as const;

export const LOG_EVENTS = {
  ...PROCESS_EVENTS,
  ...ENGINE_EVENTS,
  ...API_EVENTS,
  ...PAYOUT_EVENTS,
  ...LANE_EVENTS,
  ...WATCH_EVENTS,
  ...READER_EVENTS,
  ...NETWORK_EVENTS,
  ...WEBHOOK_EVENTS,
  ...ADMIN_EVENTS,
  ...CONSOLE_EVENTS,
} as const;

export type LogEvent = keyof typeof LOG_EVENTS;

/** The part of pino's logger, and of the logger that Fastify gives a request, that is used here. */
type LineWriter = { readonly [Level in LogLevel]: (details: object, message: string) => void };

/** Ids go into `details`: intentId, paymentId, batchId, network, relayer, endpointId and the like. */
export function logEvent(log: LineWriter, event: LogEvent, details: object = {}): void {
  const { level, message }: LogEventEntry = LOG_EVENTS[event];
  log[level]({ ...details, event }, message);
}

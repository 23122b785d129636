import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogEvent } from './log-events.ts';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

/** One JSON object per line, with the service's name. Every line is redacted, including those of libraries. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    redact: { paths: ['*.authorization', '*.cookie', 'headers', 'req', 'res'], remove: true },
    hooks: { streamWrite: redact },
    formatters: { log: withEvent },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

const FROM_A_LIBRARY: LogEvent = 'library_message';

/** Fastify and other libraries write lines without an event code. */
const withEvent = (line: object): Record<string, unknown> =>
  'event' in line ? line : { event: FROM_A_LIBRARY, ...line };

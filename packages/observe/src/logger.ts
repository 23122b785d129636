import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

/** One JSON object per line, with the service's name. Every line passes the redaction, whoever wrote it. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    redact: { paths: ['*.authorization', '*.cookie', 'headers', 'req', 'res'], remove: true },
    hooks: { streamWrite: redact },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

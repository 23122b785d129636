import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redact.ts';

/** One JSON object per line. Every line passes the redaction, whoever wrote it. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service: 'api' },
    redact: { paths: ['*.authorization', '*.cookie', 'headers', 'req', 'res'], remove: true },
    hooks: { streamWrite: redact },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

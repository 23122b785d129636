// Runs a service as a process: prints configuration problems, forgets settings of other services, logs the error that ends
// the process, and stops in order on a signal.
import { logEvent } from '../logging/log-events.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import { dropForeignSettings } from './config.ts';
import type { ServiceName } from './find-service.ts';

export type ServiceProgram<Config extends { readonly logLevel: string }> = {
  readonly name: ServiceName;
  readonly read: () =>
    | { readonly ok: true; readonly config: Config }
    | { readonly ok: false; readonly problems: readonly string[] };
  readonly start: (config: Config, logger: Logger) => Promise<{ readonly stop: () => Promise<void> }>;
};

const EX_CONFIG = 78;

export async function runService<Config extends { readonly logLevel: string }>({
  name,
  read,
  start,
}: ServiceProgram<Config>): Promise<void> {
  const given = read();
  if (!given.ok) {
    process.stderr.write(`the configuration has problems:\n${given.problems.map((line) => `  ${line}\n`).join('')}`);
    process.exit(EX_CONFIG);
  }
  const logger = createLogger(name, given.config.logLevel);
  const foreign = dropForeignSettings(name);
  if (foreign.length > 0) logEvent(logger, 'foreign_settings', { names: foreign });
  process.on('uncaughtException', (problem) => {
    logEvent(logger, 'process_crashed', { err: problem });
    process.exit(1);
  });
  const service = await start(given.config, logger);
  let stopping: Promise<void> | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stopping ??= service.stop().then(() => process.exit(0));
    });
  }
}

// The API process. Everything it consists of is made here and in start.ts.

import { createLogger } from '@svc-pay/observe';
import { readApiConfig } from './config.ts';
import { startApi } from './start.ts';

const EX_CONFIG = 78;

const read = readApiConfig();
if (!read.ok) {
  process.stderr.write(`the configuration has problems:\n${read.problems.map((line) => `  ${line}\n`).join('')}`);
  process.exit(EX_CONFIG);
}
const logger = createLogger('api', read.config.logLevel);
process.on('uncaughtException', (problem) => {
  logger.fatal({ err: problem }, 'uncaught');
  process.exit(1);
});

const api = await startApi(read.config, { logger });
let stopping: Promise<void> | undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    stopping ??= api.stop().then(() => process.exit(0));
  });
}

// The webhooks process. Everything it consists of is made in start.ts.
import { createLogger } from '@svc-pay/observe';
import { readWebhooksConfig } from './config.ts';
import { startWebhooks } from './start.ts';

const EX_CONFIG = 78;

const read = readWebhooksConfig();
if (!read.ok) {
  process.stderr.write(`the configuration has problems:\n${read.problems.map((line) => `  ${line}\n`).join('')}`);
  process.exit(EX_CONFIG);
}
const logger = createLogger('webhooks', read.config.logLevel);
process.on('uncaughtException', (problem) => {
  logger.fatal({ err: problem }, 'uncaught');
  process.exit(1);
});

const webhooks = await startWebhooks(read.config, { logger });
let stopping: Promise<void> | undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    stopping ??= webhooks.stop().then(() => process.exit(0));
  });
}

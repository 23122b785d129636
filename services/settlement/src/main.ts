// The settlement process. Everything it consists of is made in start.ts.
import { createLogger } from '@svc-pay/observe';
import { readSettlementConfig } from './config.ts';
import { startSettlement } from './start.ts';

const EX_CONFIG = 78;

const read = readSettlementConfig();
if (!read.ok) {
  process.stderr.write(`the configuration has problems:\n${read.problems.map((line) => `  ${line}\n`).join('')}`);
  process.exit(EX_CONFIG);
}
const logger = createLogger('settlement', read.config.logLevel);
process.on('uncaughtException', (problem) => {
  logger.fatal({ err: problem }, 'uncaught');
  process.exit(1);
});

const settlement = await startSettlement(read.config, { logger });
let stopping: Promise<void> | undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    stopping ??= settlement.stop().then(() => process.exit(0));
  });
}

// Entry point of the console process; start.ts wires it.
import { runService } from '@svc-pay/runtime/process/run-service';
import { readConsoleConfig } from './config.ts';
import { startConsole } from './start.ts';

await runService({
  name: 'console',
  read: readConsoleConfig,
  start: (config, logger) => startConsole(config, { logger }),
});

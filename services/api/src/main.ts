// Entry point of the API process; start.ts wires it.
import { runService } from '@svc-pay/runtime/process/run-service';
import { readApiConfig } from './config.ts';
import { startApi } from './start.ts';

await runService({
  name: 'api',
  read: readApiConfig,
  start: (config, logger) => startApi(config, { logger }),
});

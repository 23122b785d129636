// The API process. Everything it consists of is made here and in start.ts.
import { runService } from '@svc-pay/observe/run-service';
import { readApiConfig } from './config.ts';
import { startApi } from './start.ts';

await runService({
  name: 'api',
  read: readApiConfig,
  start: (config, logger) => startApi(config, { logger }),
});

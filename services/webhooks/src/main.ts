// The webhooks process. Everything it consists of is made in start.ts.
import { runService } from '@svc-pay/observe/run-service';
import { readWebhooksConfig } from './config.ts';
import { startWebhooks } from './start.ts';

await runService({
  name: 'webhooks',
  read: readWebhooksConfig,
  start: (config, logger) => startWebhooks(config, { logger }),
});

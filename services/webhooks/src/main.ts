// Entry point of the webhooks process; start.ts wires it.
import { runService } from '@svc-pay/runtime/process/run-service';
import { readWebhooksConfig } from './config.ts';
import { startWebhooks } from './start.ts';

await runService({
  name: 'webhooks',
  read: readWebhooksConfig,
  start: (config, logger) => startWebhooks(config, { logger }),
});

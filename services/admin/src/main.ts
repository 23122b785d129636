// Entry point of the admin process; start.ts wires it.
import { runService } from '@svc-pay/runtime/process/run-service';
import { readAdminConfig } from './config.ts';
import { startAdmin } from './start.ts';

await runService({
  name: 'admin',
  read: readAdminConfig,
  start: (config, logger) => startAdmin(config, { logger }),
});

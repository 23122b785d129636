// The settlement process. Everything it consists of is made in start.ts.
import { runService } from '@svc-pay/observe/run-service';
import { readSettlementConfig } from './config.ts';
import { startSettlement } from './start.ts';

await runService({
  name: 'settlement',
  read: readSettlementConfig,
  start: (config, logger) => startSettlement(config, { logger }),
});

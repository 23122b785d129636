// Entry point of the settlement process; start.ts wires it.
import { runService } from '@svc-pay/runtime/process/run-service';
import { readSettlementConfig } from './config.ts';
import { startSettlement } from './start.ts';

await runService({
  name: 'settlement',
  read: readSettlementConfig,
  start: (config, logger) => startSettlement(config, { logger }),
});

// Settlement as it ships, with places to stop at: [<bug>].
import { startSettlement } from '@svc-pay/settlement';
import { readSettlementConfig } from '@svc-pay/settlement/config';
import { isIcpBug, plantInSettlement } from './icp-bugs.ts';
import { createLedgerPoints, type LedgerPoint } from './pause-points.ts';

const read = readSettlementConfig();
if (!read.ok) throw new Error(read.problems.join('; '));
const bug = process.argv[2];
if (isIcpBug(bug)) plantInSettlement(bug);
const points = createLedgerPoints();

process.on('message', (message: { readonly pauseAt?: LedgerPoint | 'nowhere' }) => {
  if (message.pauseAt !== undefined) points.pauseAt(message.pauseAt);
});

await startSettlement(read.config);

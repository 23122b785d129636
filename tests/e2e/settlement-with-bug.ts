// The settlement process with one deliberate bug, named by the only argument.
import { recordingEarly, type SeededBug, signingAgain, withoutFence } from '@svc-pay/postgres/testing/seeded-bugs';
import { startSettlement } from '@svc-pay/settlement';
import { readSettlementConfig } from '@svc-pay/settlement/config';

const BUGS: Readonly<Record<string, SeededBug>> = { recordingEarly, signingAgain, withoutFence };

const read = readSettlementConfig();
const bug = BUGS[process.argv[2] ?? ''];
if (!read.ok || bug === undefined) throw new Error('called wrongly');
await startSettlement(read.config, { injectFault: (parts, { pool }) => bug(parts, pool) });

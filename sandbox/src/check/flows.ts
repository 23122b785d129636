import { cancelTab, sayNo } from './flow-cancel.ts';
import { payByCrowd } from './flow-crowd.ts';
import { payExact, refuseForgery, refusePoor, replayHeader } from './flow-exact.ts';
import { failPayment } from './flow-fail.ts';
import { payOnIcp } from './flow-icp.ts';
import { payOnSolana } from './flow-solana.ts';
import { payMetered, refuseOverCap } from './flow-upto.ts';
import type { Visit } from './visit.ts';

export type Flow = { readonly name: string; readonly run: (visit: Visit) => Promise<void> };

export const FLOWS: readonly Flow[] = [
  { name: 'exact: paid to the wallet, booked', run: payExact },
  { name: 'exact: same header again', run: replayHeader },
  { name: 'exact: wallet without money', run: refusePoor },
  { name: 'exact: the payer says no', run: sayNo },
  { name: 'webhook: forged, or for a cent', run: refuseForgery },
  { name: 'up-to: charged what was read', run: payMetered },
  { name: 'up-to: more than the cap', run: refuseOverCap },
  { name: 'up-to: emptied wallet fails', run: failPayment },
  { name: 'up-to: let go, and canceled', run: cancelTab },
  { name: 'Solana: paid without SOL', run: payOnSolana },
  { name: 'Internet Computer: a transfer', run: payOnIcp },
  { name: 'crowd: many share transactions', run: payByCrowd },
];

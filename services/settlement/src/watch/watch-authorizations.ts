// Whatever was signed for us is watched until a finalized block is past its last second. One that is unused by then is
// closed; one that was used without us settling it is named, and stays open for whoever recovers it.
import type { Pulse } from '@svc-pay/engine';
import { readAuthorizationStates, readFinality } from '@svc-pay/evm';
import { closeAuthorizations, loadOverdueAuthorizations } from '@svc-pay/postgres/lanes';
import type { OpenNetwork } from '../open-networks.ts';
import { pulseName } from './pulse-name.ts';
import type { WatchParts } from './watch-parts.ts';

const EVERY_MS = 5_000;
const AT_ONCE = 500;

export function createAuthorizationWatch({ network, rpc }: OpenNetwork, { pool, clock, log }: WatchParts): Pulse {
  return {
    name: pulseName('authorizations', network),
    everyMs: EVERY_MS,
    beat: async () => {
      const { finalizedTimeSeconds } = await readFinality(rpc);
      const overdue = await loadOverdueAuthorizations(pool, network, finalizedTimeSeconds, AT_ONCE);
      if (overdue.length === 0) return;
      // A permit past its deadline can't be executed by anybody, and one of ours that settled has nothing left to do.
      const unsettled = overdue.filter(({ settlement, kind }) => settlement !== 'completed' && kind !== 'permit');
      const used = await readAuthorizationStates(rpc, unsettled, 'finalized');
      const suspicious = new Set(unsettled.filter((_, index) => used[index] === true));
      for (const { intentId, payer, nonce } of suspicious) {
        log('error', { network, intentId, payer, nonce }, 'an authorization was used without being settled');
      }
      await closeAuthorizations(
        pool,
        overdue.filter((authorization) => !suspicious.has(authorization)),
        clock.nowMs(),
      );
    },
  };
}

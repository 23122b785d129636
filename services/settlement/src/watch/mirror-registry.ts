// The payout registry on chain is right; its rows here follow it. New intents use only what is active in both.
import type { Pulse } from '@svc-pay/engine';
import { readPayouts } from '@svc-pay/evm';
import { basisPoints } from '@svc-pay/money';
import { loadPayoutsToMirror } from '@svc-pay/postgres/lanes';
import { mirrorPayout } from '@svc-pay/postgres/operator';
import type { OpenNetwork } from '../open-networks.ts';
import { pulseName } from './pulse-name.ts';
import type { WatchParts } from './watch-parts.ts';

const EVERY_MS = 15_000;
const AT_ONCE = 200;

export function createRegistryMirror(
  { network, processor, rpc }: OpenNetwork,
  { pool, clock, log }: WatchParts,
): Pulse {
  return {
    name: pulseName('registry', network),
    everyMs: EVERY_MS,
    beat: async () => {
      let after = -1n;
      for (;;) {
        const payoutIds = await loadPayoutsToMirror(pool, network, processor, after, AT_ONCE);
        const last = payoutIds.at(-1);
        if (last === undefined) return;
        after = last;
        for (const { terms, status } of await readPayouts(rpc, processor, payoutIds)) {
          if (status === 'unregistered') continue;
          const operation = { pool, nowMs: clock.nowMs(), actor: 'service:settlement' };
          const { payoutId } = terms;
          const splits = terms.splits.map(({ to, bps }) => ({ to, bps: basisPoints(bps) }));
          const mirrored = await mirrorPayout(operation, {
            network,
            processor,
            payoutId,
            status,
            transactionId: null,
            terms: { ...terms, splits },
          });
          if (mirrored === 'differs') {
            log('error', { network, payoutId: payoutId.toString() }, 'the registry has other terms than the database');
          }
        }
      }
    },
  };
}

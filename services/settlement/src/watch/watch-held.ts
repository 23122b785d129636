// Payments that are neither sent again nor called failed, because the chain says that their authorization is used or their
// intent settled. A final block and its logs say which, and then they end.
import type { Pulse } from '@svc-pay/engine';
import { readFinality, readStandings, traceAuthorizations } from '@svc-pay/evm';
import { type ClaimedPayment, decideHeldMoney, loadHeldPayments, queueHeld } from '@svc-pay/postgres/lanes';
import type { OpenNetwork } from '../open-networks.ts';
import { actOnHeld } from './act-on-fate.ts';
import { pulseName } from './pulse-name.ts';
import type { WatchParts } from './watch-parts.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 100;
/** One beat takes at most this many turns; the rest waits for the next. */
const MAX_TURNS = 20;

export function createHeldWatch(open: OpenNetwork, parts: WatchParts): Pulse {
  const { network, rpc } = open;
  const { pool, clock } = parts;
  return {
    name: pulseName('held', network),
    everyMs: EVERY_MS,
    beat: async () => {
      for (const decided of await decideHeldMoney(pool, network, clock.nowMs(), AT_ONCE)) {
        parts.log('info', { network, ...decided }, 'stranded money of an up-to intent is decided');
      }
      let after = 0n;
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        const held = await loadHeldPayments(pool, network, after, AT_ONCE);
        if (held.length === 0) return;
        after = held.at(-1)?.item.number ?? after;
        const { finalizedNumber } = await readFinality(rpc);
        const standings = await readStandings(
          rpc,
          held.map(({ item }) => item),
          finalizedNumber,
        );
        const free = held.filter((_, index) => standings[index] === 'free');
        await queueHeld(pool, free, clock.nowMs());
        const taken = held.filter((_, index) => standings[index] === 'taken');
        const fates = await traceAuthorizations(rpc, taken.map(tracedOf), finalizedNumber);
        for (const [index, payment] of taken.entries()) {
          const fate = fates[index];
          if (fate !== undefined) await actOnHeld(open, parts, payment, fate);
        }
        if (held.length < AT_ONCE) return;
      }
    },
  };
}

function tracedOf({ item, claimedAtSeconds }: ClaimedPayment) {
  const { asset, processor, payer, nonce, kind, capAtomic } = item;
  return { asset, processor, payer, nonce, kind, capAtomic, claimedAtSeconds, item };
}

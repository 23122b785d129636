// Payments whose transaction landed and whose money no node could show: they are neither failed nor forgotten. They are
// asked about until the balances prove them. One that never had a transaction of ours is a person's to look at.
import type { FlyingBatch } from '@svc-pay/core';
import type { Pulse } from '@svc-pay/engine';
import { completeHeld, loadHeldPayments, loadHeldTransactions } from '@svc-pay/postgres/lanes';
import { FINALIZED_CONFIRMATIONS, findMined } from '@svc-pay/solana';
import { pulseName } from '../watch/pulse-name.ts';
import type { WatchParts } from '../watch/watch-parts.ts';
import type { OpenSolana } from './open-solana.ts';

const EVERY_MS = 10_000;
const AT_ONCE = 100;
/** One beat takes at most this many turns; the rest waits for the next. */
const MAX_TURNS = 20;

export type HeldParts = Pick<WatchParts, 'pool' | 'clock' | 'log'>;

export function createSolanaHeldWatch({ network, nodes, gasCoin }: OpenSolana, { pool, clock, log }: HeldParts): Pulse {
  return {
    name: pulseName('held', network),
    everyMs: EVERY_MS,
    beat: async () => {
      let after = 0n;
      for (let turn = 0; turn < MAX_TURNS; turn += 1) {
        const held = await loadHeldPayments(pool, network, after, AT_ONCE);
        after = held.at(-1)?.item.number ?? after;
        const ids = held.map(({ item }) => item.paymentId);
        const transactions = await loadHeldTransactions(pool, network, ids);
        for (const payment of held) {
          const { paymentId, intentId } = payment.item;
          const transactionId = transactions.get(paymentId);
          const details = { network, paymentId, intentId, transactionId };
          if (transactionId === undefined) {
            log('error', details, 'the chain calls a payment used up that no transaction of ours has carried');
            continue;
          }
          const [mined] = await findMined(nodes, [flyingOf(payment.item, transactionId)]);
          if (mined === undefined || mined.confirmations < BigInt(FINALIZED_CONFIRMATIONS)) continue;
          if (mined.items[0]?.outcome !== 'settled') continue;
          if (await completeHeld(pool, network, payment, mined, gasCoin, clock.nowMs()))
            log('info', details, 'a held payment is proven by its balances');
        }
        if (held.length < AT_ONCE) return;
      }
    },
  };
}

function flyingOf(item: FlyingBatch['items'][number], transactionId: string): FlyingBatch {
  const transactions = [{ transactionId, raw: new Uint8Array() }];
  return { id: transactionId, nonce: 0n, status: 'broadcast', sentAtMs: 0, transactions, items: [item] };
}

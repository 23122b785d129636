// Watches held payments: their transaction landed, but no node could show that the money moved. The watcher asks until
// the balances prove them. A held payment without a transaction of ours needs a person.
import {
  type ClaimedPayment,
  createWalk,
  forEachIsolated,
  jobName,
  noteFailures,
  type PendingBatch,
  type PeriodicJob,
  type WatchDeps,
} from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';
import { FINALIZED_CONFIRMATIONS } from './commitment.ts';
import { findMined } from './find-batches.ts';

const EVERY_MS = 10_000;
const AT_ONCE = 100;
/** One run takes at most this many pages; the next run continues after them. */
const MAX_PAGES = 20;

type HeldDeps = Pick<WatchDeps, 'stranded' | 'clock' | 'log' | 'countFailure'>;

export function createSolanaHeldWatch(open: OpenSolana, deps: HeldDeps): PeriodicJob {
  const { network } = open;
  const { stranded } = deps;
  const note = noteFailures(network, 'held', deps);
  const walk = createWalk<ClaimedPayment>({
    load: (after, limit) => stranded.loadHeldPayments(network, after?.item.number ?? 0n, limit),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  return {
    name: jobName('held', network),
    everyMs: EVERY_MS,
    run: () =>
      walk(async (page) => {
        const ids = page.map(({ item }) => item.paymentId);
        const transactions = await stranded.loadHeldTransactions(network, ids);
        await forEachIsolated(
          page,
          (payment) => look(open, deps, payment, transactions.get(payment.item.paymentId)),
          ({ item: { paymentId, intentId } }, problem) => note({ paymentId, intentId }, problem),
        );
      }),
  };
}

async function look(
  { network, nodes, gasCoin }: OpenSolana,
  { stranded, clock, log }: HeldDeps,
  payment: ClaimedPayment,
  transactionId: string | undefined,
): Promise<void> {
  const { paymentId, intentId } = payment.item;
  const details = { network, paymentId, intentId, transactionId };
  if (transactionId === undefined) {
    log('held_payment_without_transaction', details);
    return;
  }
  const [mined] = await findMined(nodes, [pendingOf(payment.item, transactionId)]);
  if (mined === undefined || mined.confirmations < BigInt(FINALIZED_CONFIRMATIONS)) return;
  if (mined.items[0]?.outcome !== 'settled') return;
  if ((await stranded.completeHeld(network, payment, mined, gasCoin, clock.nowMs())) === 'completed')
    log('held_payment_completed', details);
}

function pendingOf(item: PendingBatch['items'][number], transactionId: string): PendingBatch {
  const transactions = [{ transactionId, raw: new Uint8Array() }];
  return { id: transactionId, nonce: 0n, status: 'broadcast', sentAtMs: 0, transactions, items: [item] };
}

// Resolves held payments: they are neither sent again nor failed, because their authorization may be used or their intent
// settled. What is final on the chain decides. Stranded money of up-to intents waits here for the merchant's decision.
import { forEachIsolated, noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import { readIsolated } from '../watch/read-isolated.ts';
import { createWalk } from '../watch/walk-pages.ts';
import { actOnOutcome, type StrandedDeps } from './act-on-outcome.ts';
import type { AuthorizationChain, HeldPayment } from './authorization-chain.ts';
import { decideOnHeld } from './decide-on-outcome.ts';
import type { ClaimedPayment, HeldMoney } from './stranded-store.ts';

export function createHeldWatch(chain: AuthorizationChain, deps: StrandedDeps): PeriodicJob {
  const { network, limits } = chain;
  const { everyMs, pageSize, maxPages } = limits.held;
  const { stranded } = deps;
  const note = noteFailures(network, 'held', deps);
  const walkMoney = createWalk<HeldMoney>({
    load: (after, limit) => stranded.loadHeldMoney(network, after?.number ?? 0n, limit),
    pageSize,
    maxPages,
  });
  const walkPayments = createWalk<ClaimedPayment>({
    load: (after, limit) => stranded.loadHeldPayments(network, after?.item.number ?? 0n, limit),
    pageSize,
    maxPages,
  });
  const onFailure = ({ item, intentId }: ClaimedPayment, problem: unknown) =>
    note({ paymentId: item.paymentId, intentId }, problem);
  return {
    name: jobName('held', network),
    everyMs,
    run: async () => {
      await walkMoney((page) =>
        forEachIsolated(
          page,
          (money) => decideMoney(chain, deps, money),
          ({ intentId }, problem) => note({ intentId }, problem),
        ),
      );
      await walkPayments(async (page) => {
        const reader = await chain.readHeld();
        const judged = await readIsolated(await withTransactions(chain, deps, page), reader.judge, onFailure);
        await forEachIsolated(
          [...judged],
          async ([payment, verdict]) => void (await actOnOutcome(chain, deps, payment, decideOnHeld(verdict))),
          ([payment], problem) => onFailure(payment, problem),
        );
      });
    },
  };
}

async function decideMoney(
  { network }: AuthorizationChain,
  { stranded, clock, log }: StrandedDeps,
  money: HeldMoney,
): Promise<void> {
  const decided = await stranded.decideHeldMoney(network, money, clock.nowMs());
  if (decided === undefined) return;
  const { intentId, paymentId, action } = decided;
  log('stranded_upto_decided', { network, intentId, paymentId, action });
}

async function withTransactions(
  { network }: AuthorizationChain,
  { stranded }: StrandedDeps,
  page: readonly ClaimedPayment[],
): Promise<readonly HeldPayment[]> {
  const ids = page.map(({ item }) => item.paymentId);
  const [signed, recorded] = await Promise.all([
    stranded.loadSignedTransactions(page),
    stranded.loadHeldTransactions(network, ids),
  ]);
  return page.map((payment) => ({
    ...payment,
    signedTransactionIds: signed.get(payment.item.paymentId) ?? [],
    recordedTransactionId: recorded.get(payment.item.paymentId),
  }));
}

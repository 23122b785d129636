// Watches open refunds until final blocks decide them, whoever submitted them: the signature of a wallet moves its money
// once, and anybody who has seen it may submit it. Lanes only carry refunds; here they are completed, or fail when it is
// certain that they move no money any more.
import { forEachIsolated, noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import { readIsolated } from '../watch/read-isolated.ts';
import { createWalk } from '../watch/walk-pages.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import { decideRefund, REFUND_NOT_PROVEN } from './decide-refund.ts';
import type { RefundChain } from './refund-chain.ts';
import type { OpenRefund, RefundEvidence, RefundWatchStore } from './refund-store.ts';
import { REFUND_STATUS } from './refund-transitions.ts';

export type RefundWatchDeps = WatchBase & { readonly refunds: RefundWatchStore };

export function createRefundWatch(chain: RefundChain, deps: RefundWatchDeps): PeriodicJob {
  const { network, limits } = chain;
  const { everyMs, pageSize, maxPages } = limits.refunds;
  const { refunds, clock } = deps;
  const note = noteFailures(network, 'refunds', deps);
  const onFailure = ({ id, paymentId }: OpenRefund, problem: unknown) => note({ refundId: id, paymentId }, problem);
  const walk = createWalk<OpenRefund>({
    load: (after, limit) => refunds.loadOpenRefunds(network, after?.number ?? 0n, limit),
    pageSize,
    maxPages,
  });
  return {
    name: jobName('refunds', network),
    everyMs,
    run: () =>
      walk(async (page) => {
        const read = (some: readonly OpenRefund[]) => chain.findRefundOutcomes(some, clock.nowMs());
        const outcomes = await readIsolated(page, read, onFailure);
        await forEachIsolated(
          page,
          async (refund) => {
            const outcome = outcomes.get(refund);
            if (outcome === undefined) return;
            await act(deps, refund, decideRefund(refund, outcome));
            // A reorg may have put the transaction into a block in which it reverts: when that is final, no lane has the
            // refund any more. One whose transfer these nodes do not show yet is refused by the token if it is sent again.
            const maybeLost = outcome.outcome === 'open' && refund.status === REFUND_STATUS.sent;
            if (maybeLost) await refunds.queueAgain(refund, clock.nowMs());
          },
          onFailure,
        );
      }),
  };
}

async function act(
  deps: RefundWatchDeps,
  refund: OpenRefund,
  decision: ReturnType<typeof decideRefund>,
): Promise<void> {
  if (decision.action === 'complete') await complete(deps, refund, decision.evidence);
  if (decision.action === 'fail') await fail(deps, refund, decision.code);
}

async function complete(deps: RefundWatchDeps, refund: OpenRefund, evidence: RefundEvidence): Promise<void> {
  const { refunds, clock, log } = deps;
  const completed = await refunds.complete(refund, evidence, clock.nowMs());
  const { transactionId, logIndex } = evidence;
  if (completed === 'completed') log('refund_completed', { ...idsOf(refund), transactionId, logIndex });
  if (completed !== 'taken' && completed !== 'exceeds') return;
  // The log is counted as something else already, or is more than the payment has left: it proves no refund.
  if (refund.kind !== 'reported') log('refund_log_taken', { ...idsOf(refund), transactionId, logIndex });
  await fail(deps, refund, REFUND_NOT_PROVEN);
}

type FailureCode = Parameters<RefundWatchStore['fail']>[1];

async function fail({ refunds, clock, log }: RefundWatchDeps, refund: OpenRefund, code: FailureCode): Promise<void> {
  if (await refunds.fail(refund, code, clock.nowMs())) log('refund_failed', { ...idsOf(refund), code });
}

const idsOf = ({ id: refundId, paymentId, accountId, network }: OpenRefund) => ({
  network,
  accountId,
  refundId,
  paymentId,
});

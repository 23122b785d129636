// Resolves held payments: they are neither sent again nor failed, because the chain says that their authorization is
// used or their intent is settled. A final block and its logs decide which. Each node answers at its own finalized
// height, and a quorum must agree.
import {
  type ClaimedPayment,
  createWalk,
  forEachIsolated,
  type HeldMoney,
  jobName,
  majorityOf,
  noteFailures,
  type PeriodicJob,
  readIsolated,
  viewKey,
  type WatchDeps,
} from '@svc-pay/core';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { OpenNetwork } from '../send/open-networks.ts';
import { actOnHeld } from './act-on-authorization-outcome.ts';
import { readAuthorizationStatuses } from './read-authorization-status.ts';
import { type FinalNode, readFinalNodes } from './read-finality.ts';
import { type AuthorizationOutcome, traceAuthorizations } from './trace-authorizations.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 100;
/** One run takes at most this many pages; the next run continues after them. */
const MAX_PAGES = 20;
/** A log search over days takes some nodes longer than others. */
const TRACE_PATIENCE_MS = 10_000;

type Deps = Pick<WatchDeps, 'stranded' | 'clock' | 'log' | 'countFailure'>;

export function createHeldWatch(open: OpenNetwork, deps: Deps): PeriodicJob {
  const { network, voters } = open;
  const { stranded, clock, log } = deps;
  const note = noteFailures(network, 'held', deps);
  const walkMoney = createWalk<HeldMoney>({
    load: (after, limit) => stranded.loadHeldMoney(network, after?.number ?? 0n, limit),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  const walkPayments = createWalk<ClaimedPayment>({
    load: (after, limit) => stranded.loadHeldPayments(network, after?.item.number ?? 0n, limit),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  const onFailure = ({ item, intentId }: ClaimedPayment, problem: unknown) =>
    note({ paymentId: item.paymentId, intentId }, problem);
  return {
    name: jobName('held', network),
    everyMs: EVERY_MS,
    run: async () => {
      await walkMoney((page) =>
        forEachIsolated(
          page,
          async (money) => {
            const decided = await stranded.decideHeldMoney(network, money, clock.nowMs());
            if (decided !== undefined) {
              const { intentId, paymentId, action } = decided;
              log('stranded_upto_decided', { network, intentId, paymentId, action });
            }
          },
          ({ intentId }, problem) => note({ intentId }, problem),
        ),
      );
      await walkPayments(async (page) => {
        const nodes = await readFinalNodes(await voters());
        const signed = await stranded.loadSignedTransactions(page);
        const judged = await readIsolated(page, (some) => judgeHeld(nodes, some, signed), onFailure);
        await forEachIsolated(
          [...judged.keys()],
          async (payment) => {
            const view = judged.get(payment);
            if (view?.status === 'free') await stranded.queueHeld([payment], clock.nowMs());
            if (view?.status === 'taken') await actOnHeld(open, deps, payment, view.outcome);
          },
          onFailure,
        );
      });
    },
  };
}

type HeldView =
  | { readonly status: 'free' | 'undecided' }
  | { readonly status: 'taken'; readonly outcome: AuthorizationOutcome };

/** Views in the order given; `undecided` also where the nodes contradict each other. */
async function judgeHeld(
  nodes: readonly FinalNode[],
  payments: readonly ClaimedPayment[],
  signed: SignedTransactions,
): Promise<readonly HeldView[]> {
  const views = await collectNodeViews(nodes, (node) => viewOf(node, payments, signed), TRACE_PATIENCE_MS);
  return payments.map((_, index) => {
    const told = views.flatMap((view) => view[index] ?? []);
    return majorityOf(told, viewKey)?.[0] ?? { status: 'undecided' };
  });
}

/** Asks one node everything, at the height that the same node calls final. */
async function viewOf(
  { node, finalizedNumber }: FinalNode,
  payments: readonly ClaimedPayment[],
  signed: SignedTransactions,
): Promise<readonly HeldView[]> {
  const items = payments.map(({ item }) => item);
  const statuses = await readAuthorizationStatuses(node, items, finalizedNumber);
  const taken = payments.filter((_, index) => statuses[index] === 'taken');
  const outcomes = await traceAuthorizations(
    node,
    taken.map((payment) => tracedOf(payment, signed)),
    finalizedNumber,
  );
  return payments.map((payment, index): HeldView => {
    const outcome = outcomes[taken.indexOf(payment)];
    if (statuses[index] === 'free') return { status: 'free' };
    return outcome === undefined ? { status: 'undecided' } : { status: 'taken', outcome };
  });
}

/** Every transaction ever signed for a payment, by payment id. */
type SignedTransactions = ReadonlyMap<string, readonly string[]>;

function tracedOf({ item, claimedAtSeconds }: ClaimedPayment, signed: SignedTransactions) {
  const { asset, processor, payer, nonce, kind, capAtomic, paymentId } = item;
  const signedTransactionIds = signed.get(paymentId) ?? [];
  return { asset, processor, payer, nonce, kind, capAtomic, claimedAtSeconds, item, signedTransactionIds };
}

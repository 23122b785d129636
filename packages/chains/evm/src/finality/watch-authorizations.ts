// Watches every authorization signed for us until a finalized block is past its last second, whatever the result of its
// payment: until then anybody who has seen it may submit it. An authorization that was used without being settled is
// traced to its money. Each node answers at its own finalized height.
import {
  createWalk,
  FIRST_AUTHORIZATION,
  forEachIsolated,
  heightOfMost,
  jobName,
  majorityOf,
  noteFailures,
  type OpenAuthorization,
  type PeriodicJob,
  readIsolated,
  viewKey,
  type WatchDeps,
} from '@svc-pay/core';
import { collectNodeViews, firstNodeView } from '../rpc/collect-node-views.ts';
import type { OpenNetwork } from '../send/open-networks.ts';
import { readAuthorizationStates } from './read-authorization-status.ts';
import { type FinalNode, readFinalNodes } from './read-finality.ts';
import { type AuthorizationOutcome, type TracedAuthorization, traceAuthorizations } from './trace-authorizations.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 500;
const TRACED_AT_ONCE = 100;
/**
 * One run closes at most 50,000 expired authorizations and checks 1,000 that are still valid. With more valid ones, a
 * third party's submission is found some runs later; every authorization is checked once more when it expires.
 */
const OVERDUE_PAGES = 100;
const RUNNING_PAGES = 2;
/** Later than any accepted expiry. */
const FAR_SECONDS = 2n ** 62n;
/** A log search over days takes some nodes longer than others. */
const TRACE_PATIENCE_MS = 10_000;

/** Lanes and the watcher of held payments handle authorizations in these settlement states. */
const ON_ITS_WAY: readonly (string | null)[] = ['queued', 'held', 'batched', 'mined'];

type Deps = Pick<WatchDeps, 'stranded' | 'clock' | 'log' | 'countFailure'>;

export function createAuthorizationWatch(open: OpenNetwork, deps: Deps): PeriodicJob {
  const { network, voters } = open;
  const { stranded, clock } = deps;
  const note = noteFailures(network, 'authorizations', deps);
  const onFailure = ({ intentId, paymentId }: OpenAuthorization, problem: unknown) =>
    note({ intentId, paymentId }, problem);
  let finalizedTimeSeconds = 0n;
  const walkOverdue = createWalk<OpenAuthorization>({
    load: (after, limit) =>
      stranded.loadOpenAuthorizations(network, after ?? FIRST_AUTHORIZATION, finalizedTimeSeconds, limit),
    pageSize: AT_ONCE,
    maxPages: OVERDUE_PAGES,
  });
  // The position is kept in memory only: a new process starts again at the first authorization.
  const walkRunning = createWalk<OpenAuthorization>({
    load: (after, limit) => {
      const behind = after === undefined || after.validBeforeSeconds < finalizedTimeSeconds;
      const from = behind ? { validBeforeSeconds: finalizedTimeSeconds, claimKey: new Uint8Array() } : after;
      return stranded.loadOpenAuthorizations(network, from, FAR_SECONDS, limit);
    },
    pageSize: AT_ONCE,
    maxPages: RUNNING_PAGES,
  });

  /** Closes authorizations that can move no money any more, and traces those that were used. */
  const look = async (nodes: readonly FinalNode[], page: readonly OpenAuthorization[], over: boolean) => {
    const suspects = page.filter(isSuspect);
    // Closing is irreversible, so it needs a quorum; a use that one node reports is traced at every node.
    const states = await readIsolated(suspects, (some) => readStates(nodes, some, over), onFailure);
    const used = suspects.filter((suspect) => states.get(suspect) === 'used');
    const explained = await follow(open, deps, nodes, used, onFailure);
    const isOver = (one: OpenAuthorization) =>
      isSuspect(one) ? states.get(one) === 'over' : !ON_ITS_WAY.includes(one.settlement);
    const ended = page.filter((one) => explained.has(one) || (over && isOver(one)));
    const close = async (some: readonly OpenAuthorization[]) => {
      await stranded.closeAuthorizations(some, clock.nowMs());
      return some;
    };
    await readIsolated(ended, close, onFailure);
  };

  return {
    name: jobName('authorizations', network),
    everyMs: EVERY_MS,
    run: async () => {
      const nodes = await readFinalNodes(await voters());
      const [first, ...others] = nodes;
      finalizedTimeSeconds = heightOfMost([
        first.finalizedTimeSeconds,
        ...others.map((other) => other.finalizedTimeSeconds),
      ]);
      await walkOverdue((page) => look(nodes, page, true));
      await walkRunning((page) => look(nodes, page, false));
    },
  };
}

/** A permit cannot strand money: only the processor can pull with it. A completed settlement needs no check either. */
function isSuspect({ settlement, kind }: OpenAuthorization): boolean {
  return settlement !== 'completed' && !ON_ITS_WAY.includes(settlement) && kind === 'transfer_with_authorization';
}

/** `over`: unused in a final block past its last second. `open`: unused so far, or the nodes contradict each other. */
type AuthorizationState = 'used' | 'over' | 'open';

async function readStates(
  nodes: readonly FinalNode[],
  authorizations: readonly OpenAuthorization[],
  byQuorum: boolean,
): Promise<readonly AuthorizationState[]> {
  const views = await (byQuorum ? collectNodeViews : firstNodeView)(nodes, async (final: FinalNode) => {
    const used = await readAuthorizationStates(final.node, authorizations, final.finalizedNumber);
    return authorizations.map(({ validBeforeSeconds }, index): AuthorizationState => {
      if (used[index] !== false) return 'used';
      return validBeforeSeconds < final.finalizedTimeSeconds ? 'over' : 'open';
    });
  });
  return authorizations.map((_, index) => {
    const told = views.flatMap((view) => view[index] ?? []);
    // Nobody can use an authorization after its last second: if a quorum calls it over, it is over.
    return majorityOf(told, (state) => state)?.[0] ?? (told.includes('used') ? 'used' : 'open');
  });
}

/** Returns the authorizations that need no further check. */
async function follow(
  open: OpenNetwork,
  deps: Deps,
  nodes: readonly FinalNode[],
  used: readonly OpenAuthorization[],
  onFailure: (authorization: OpenAuthorization, problem: unknown) => void,
): Promise<ReadonlySet<OpenAuthorization>> {
  const explained = new Set<OpenAuthorization>();
  for (let start = 0; start < used.length; start += TRACED_AT_ONCE) {
    const some = used.slice(start, start + TRACED_AT_ONCE);
    const payments = await deps.stranded.loadClaimedPayments(some);
    const tracedOf = (authorization: OpenAuthorization): TracedAuthorization => {
      const payment = payments.get(authorization.paymentId ?? '');
      return { ...authorization, item: payment?.item ?? null };
    };
    const outcomes = await readIsolated(some, (page) => readOutcomes(nodes, page.map(tracedOf)), onFailure);
    await forEachIsolated(
      some,
      async (authorization) => {
        const [outcome, { item }] = [outcomes.get(authorization), tracedOf(authorization)];
        if (outcome && (await act(open, deps, { ...authorization, item }, outcome))) explained.add(authorization);
      },
      onFailure,
    );
  }
  return explained;
}

/**
 * Outcomes in the order given; undefined where the nodes contradict each other. Each node traces up to its own final
 * height.
 */
async function readOutcomes(
  nodes: readonly FinalNode[],
  traced: readonly TracedAuthorization[],
): Promise<readonly (AuthorizationOutcome | undefined)[]> {
  const views = await collectNodeViews(
    nodes,
    ({ node, finalizedNumber }) => traceAuthorizations(node, traced, finalizedNumber),
    TRACE_PATIENCE_MS,
  );
  return traced.map(
    (_, index) =>
      majorityOf(
        views.flatMap((outcomes) => outcomes[index] ?? []),
        viewKey,
      )?.[0],
  );
}

async function act(
  { network }: OpenNetwork,
  { stranded, clock, log }: Deps,
  authorization: OpenAuthorization & Pick<TracedAuthorization, 'item'>,
  outcome: AuthorizationOutcome,
): Promise<boolean> {
  const { intentId, paymentId, payer } = authorization;
  const details = { network, intentId, paymentId, payer };
  if (outcome.outcome === 'burned') return true;
  if (outcome.outcome === 'stranded') {
    const position = { transactionId: outcome.transactionId, logIndex: outcome.logIndex };
    const action = await stranded.recordStranding({ ...authorization, network, position }, clock.nowMs());
    if (action !== undefined) log('stranded_transfer_found', { ...details, ...position, action });
    return action !== undefined;
  }
  if (outcome.outcome === 'settled')
    log('failed_payment_settled', { ...details, transactionId: outcome.mined.transactionId });
  else log('authorization_use_unexplained', details);
  return false;
}

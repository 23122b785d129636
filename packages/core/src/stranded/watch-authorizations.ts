// Watches every authorization signed for us until it can move no money any more, whatever the result of its payment:
// until then somebody who has seen it may submit it. An authorization that was used without being settled is traced to
// its money. While an authorization is valid only those are read that no settlement is going to use: one that is on its way
// is its lane's, and one that was settled is used. When it has expired every one is read once more.
import { forEachIsolated, noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import { readIsolated } from '../watch/read-isolated.ts';
import { createWalk } from '../watch/walk-pages.ts';
import { actOnOutcome, type StrandedDeps } from './act-on-outcome.ts';
import type { AuthorizationChain, AuthorizationReader } from './authorization-chain.ts';
import { decideOnOutcome } from './decide-on-outcome.ts';
import { judgeAuthorization, mayClose } from './judge-authorization.ts';
import { FIRST_AUTHORIZATION, type OpenAuthorization } from './stranded-store.ts';

/** Later than any accepted expiry. */
const FAR_SECONDS = 2n ** 62n;

type OnFailure = (authorization: OpenAuthorization, problem: unknown) => void;

export function createAuthorizationWatch(chain: AuthorizationChain, deps: StrandedDeps): PeriodicJob {
  const { network, limits } = chain;
  const { everyMs, pageSize, expiredPages, validPages } = limits.authorizations;
  const { stranded } = deps;
  const note = noteFailures(network, 'authorizations', deps);
  const onFailure: OnFailure = ({ intentId, paymentId }, problem) => note({ intentId, paymentId }, problem);
  let finalizedTimeSeconds = 0n;
  const walkExpired = createWalk<OpenAuthorization>({
    load: (after, limit) =>
      stranded.loadOpenAuthorizations(network, after ?? FIRST_AUTHORIZATION, finalizedTimeSeconds, limit),
    pageSize,
    maxPages: expiredPages,
  });
  // The position is kept in memory only: a new process starts again at the first authorization.
  const walkValid = createWalk<OpenAuthorization>({
    load: (after, limit) => {
      const behind = after === undefined || after.validBeforeSeconds < finalizedTimeSeconds;
      const from = behind ? { validBeforeSeconds: finalizedTimeSeconds, claimKey: new Uint8Array() } : after;
      // Where time ends none, a result does: there those with a result are closed here.
      const load = finalizedTimeSeconds === 0n ? stranded.loadOpenAuthorizations : stranded.loadUnsettledAuthorizations;
      return load(network, from, FAR_SECONDS, limit);
    },
    pageSize,
    maxPages: validPages,
  });
  return {
    name: jobName('authorizations', network),
    everyMs,
    run: async () => {
      const reader = await chain.readAuthorizations();
      finalizedTimeSeconds = reader.finalizedTimeSeconds;
      await walkExpired((page) => checkPage(chain, deps, { reader, page, isExpired: true }, onFailure));
      await walkValid((page) => checkPage(chain, deps, { reader, page, isExpired: false }, onFailure));
    },
  };
}

type CheckedPage = {
  readonly reader: AuthorizationReader;
  readonly page: readonly OpenAuthorization[];
  readonly isExpired: boolean;
};

/** Closes authorizations that can move no money any more, and traces those that were used. */
async function checkPage(
  chain: AuthorizationChain,
  deps: StrandedDeps,
  { reader, page, isExpired }: CheckedPage,
  onFailure: OnFailure,
): Promise<void> {
  const { stranded, clock } = deps;
  const judgements = new Map(page.map((one) => [one, judgeAuthorization(one, isExpired)]));
  const suspects = page.filter((one) => judgements.get(one) === 'check');
  const nodes = isExpired ? 'quorum' : 'first';
  const states = await readIsolated(suspects, (some) => reader.readStates(some, nodes), onFailure);
  const used = suspects.filter((suspect) => states.get(suspect) === 'used');
  const explained = await traceUsed(chain, deps, reader, used, onFailure);
  const over = page.filter(
    (one) => explained.has(one) || mayClose(judgements.get(one) ?? 'leave', isExpired, states.get(one)),
  );
  const close = async (some: readonly OpenAuthorization[]) => {
    await stranded.closeAuthorizations(some, clock.nowMs());
    return some;
  };
  // Closes all in one statement; if that fails, all except those that cannot be closed.
  await readIsolated(over, close, onFailure);
}

/** Returns the authorizations that need no further check. */
async function traceUsed(
  chain: AuthorizationChain,
  deps: StrandedDeps,
  reader: AuthorizationReader,
  used: readonly OpenAuthorization[],
  onFailure: OnFailure,
): Promise<ReadonlySet<OpenAuthorization>> {
  const explained = new Set<OpenAuthorization>();
  const { tracedAtOnce } = chain.limits.authorizations;
  for (let start = 0; start < used.length; start += tracedAtOnce) {
    const some = used.slice(start, start + tracedAtOnce);
    const payments = await deps.stranded.loadClaimedPayments(some);
    const withItem = (authorization: OpenAuthorization) => ({
      ...authorization,
      item: payments.get(authorization.paymentId ?? '')?.item ?? null,
    });
    const outcomes = await readIsolated(some, (page) => reader.traceOutcomes(page.map(withItem)), onFailure);
    await forEachIsolated(
      some,
      async (authorization) => {
        const outcome = outcomes.get(authorization);
        if (outcome === undefined) return;
        const decision = decideOnOutcome(authorization.settlement, outcome);
        if (await actOnOutcome(chain, deps, withItem(authorization), decision)) explained.add(authorization);
      },
      onFailure,
    );
  }
  return explained;
}

// The payout registry on chain is authoritative; the rows in the database follow it. New intents use only payouts
// active in both. A row changes only by a quorum, because a single node could withdraw the payouts of every merchant.
import {
  createWalk,
  forEachIsolated,
  jobName,
  majorityOf,
  noteFailures,
  type PayoutRegistryStore,
  type PeriodicJob,
  readIsolated,
  viewKey,
  type WatchBase,
} from '@svc-pay/core';
import { basisPoints } from '@svc-pay/money';
import { type RegistryEntry, readPayouts } from '../admin/read-payouts.ts';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { OpenNetwork } from '../send/open-networks.ts';

const EVERY_MS = 15_000;
const AT_ONCE = 200;
const MAX_PAGES = 100;

export type MirrorDeps = WatchBase & { readonly payouts: PayoutRegistryStore };

export function createRegistryMirror(open: OpenNetwork, deps: MirrorDeps): PeriodicJob {
  const { network, processor } = open;
  const note = noteFailures(network, 'registry', deps);
  const onFailure = (payoutId: bigint, problem: unknown) => note({ payoutId: payoutId.toString() }, problem);
  const walk = createWalk<bigint>({
    load: (after = -1n, limit) => deps.payouts.loadPayoutsToMirror(network, processor, after, limit),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  return {
    name: jobName('registry', network),
    everyMs: EVERY_MS,
    run: () =>
      walk(async (payoutIds) => {
        const entries = await readIsolated(payoutIds, (some) => readByQuorum(open, some), onFailure);
        const contradicted = payoutIds.filter((id) => entries.get(id) === 'contradicted').map(String);
        if (contradicted.length > 0) {
          const details = { network, payouts: contradicted.length, firstPayoutId: contradicted[0] };
          deps.log('rpc_endpoints_contradict_payouts', details);
        }
        await forEachIsolated(
          [...entries.values()].filter((entry) => entry !== 'contradicted'),
          (entry) => mirror(open, deps, entry),
          ({ terms }, problem) => onFailure(terms.payoutId, problem),
        );
      }),
  };
}

/** Entries in the order of the ids. */
async function readByQuorum(
  { processor, voters }: OpenNetwork,
  payoutIds: readonly bigint[],
): Promise<readonly (RegistryEntry | 'contradicted')[]> {
  const views = await collectNodeViews(await voters(), (node) => readPayouts(node, processor, payoutIds));
  return payoutIds.map((_, index) => {
    const told = views.flatMap((entries) => entries[index] ?? []);
    return majorityOf(told, viewKey)?.[0] ?? 'contradicted';
  });
}

async function mirror(
  { network, processor }: OpenNetwork,
  { payouts, clock, log }: MirrorDeps,
  { terms, status }: RegistryEntry,
): Promise<void> {
  if (status === 'unregistered') return;
  const { payoutId } = terms;
  const splits = terms.splits.map(({ to, bps }) => ({ to, bps: basisPoints(bps) }));
  const registered = { network, processor, payoutId, status, transactionId: null, terms: { ...terms, splits } };
  const mirrored = await payouts.mirrorPayout(registered, clock.nowMs());
  if (mirrored === 'differs') {
    log('payout_terms_differ', { network, processor, payoutId: payoutId.toString() });
  }
}

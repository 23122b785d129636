// The payout registry on chain is authoritative; the rows in the database follow it. New intents use only payouts
// active in both. A row changes only by a quorum, because a single node could withdraw the payouts of every merchant.
//
// The logs of the registry name the payouts that changed. Only these are read, and those that are pending or that a person
// wrote: a registration may be older than its row. All others are read once an hour, in case that no node told of a change;
// and all at once when the logs were not followed.
import {
  createWalk,
  decideMirroredPayout,
  forEachIsolated,
  jobName,
  type MirroredPayout,
  majorityOf,
  noteFailures,
  type Payout,
  type PayoutRegistryStore,
  type PayoutsToMirror,
  type PeriodicJob,
  type RegisteredPayout,
  type RegistryPosition,
  readIsolated,
  viewKey,
  type WatchBase,
} from '@svc-pay/core';
import { basisPoints } from '@svc-pay/money';
import { type RegistryEntry, readPayouts } from '../admin/read-payouts.ts';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { OpenNetwork } from '../send/open-networks.ts';
import { type RegistryChanges, readRegistryChanges } from './registry-changes.ts';

const EVERY_MS = 15_000;
const AT_ONCE = 200;
const MAX_PAGES = 1_000;
const SWEEP_EVERY_MS = 3_600_000;
/** The position is saved when something was done, or after so many blocks: less than what one query of logs may ask for. */
const SAVED_EVERY_BLOCKS = 500n;

export type MirrorDeps = WatchBase & { readonly payouts: PayoutRegistryStore };

/** Returns whether every payout of the page could be read. */
type CheckPage = (page: readonly Payout[]) => Promise<boolean>;

export function createRegistryMirror(open: OpenNetwork, deps: MirrorDeps): PeriodicJob {
  const { network } = open;
  const { payouts, clock } = deps;
  const note = noteFailures(network, 'registry', deps);
  const check = checkPage(open, deps, note);
  const load = (which: PayoutsToMirror, after: Payout | undefined, limit: number) =>
    payouts.loadPayoutsToMirror(open, which, after === undefined ? -1n : BigInt(after.payoutId), limit);
  const walkOf = (which: PayoutsToMirror, maxPages: number) =>
    createWalk<Payout>({ load: (after, limit) => load(which, after, limit), pageSize: AT_ONCE, maxPages });
  const walkUncompared = walkOf('uncompared', 1);

  const readAll = async (headBlock: bigint | undefined, nowMs: number) => {
    await walkOf('all', MAX_PAGES)(async (page) => void (await check(page)));
    if (headBlock === undefined) return;
    await payouts.saveRegistryPosition(open, { blockNumber: headBlock, sweepBeganAtMs: nowMs, sweepAfter: null });
  };
  const readNamed = async (named: readonly bigint[]) => {
    let isWhole = true;
    await walkOf(named, MAX_PAGES)(async (page) => void (isWhole = (await check(page)) && isWhole));
    return isWhole;
  };
  const sweep = async (position: RegistryPosition, nowMs: number): Promise<RegistryPosition> => {
    const isRunning = position.sweepAfter !== null;
    if (!isRunning && nowMs < position.sweepBeganAtMs + SWEEP_EVERY_MS) return position;
    const page = await payouts.loadPayoutsToMirror(open, 'all', position.sweepAfter ?? -1n, AT_ONCE);
    await check(page);
    const last = page.length < AT_ONCE ? undefined : page.at(-1);
    return {
      ...position,
      sweepBeganAtMs: isRunning ? position.sweepBeganAtMs : nowMs,
      sweepAfter: last === undefined ? null : BigInt(last.payoutId),
    };
  };
  return {
    name: jobName('registry', network),
    everyMs: EVERY_MS,
    run: async () => {
      const nowMs = clock.nowMs();
      const stored = await payouts.loadRegistryPosition(open);
      const changes = await changesSince(open, stored?.blockNumber, (problem) => note({}, problem));
      if (stored === undefined || changes === undefined || changes.payoutIds === 'lost')
        return readAll(changes?.headBlock, nowMs);
      const { payoutIds, headBlock } = changes;
      const isWhole = payoutIds.length === 0 || (await readNamed(payoutIds));
      await walkUncompared(async (page) => void (await check(page)));
      const swept = await sweep(stored, nowMs);
      // What could not be read is named again in the next run.
      const next = isWhole ? { ...swept, blockNumber: headBlock } : swept;
      const moved = headBlock - stored.blockNumber;
      const isWorthIt = swept !== stored || payoutIds.length > 0 || moved < 0n || moved >= SAVED_EVERY_BLOCKS;
      if (isWorthIt) await payouts.saveRegistryPosition(open, next);
    },
  };
}

/** Undefined when no node tells its logs: then every payout is read, as far as the nodes answer at all. */
async function changesSince(
  { voters, processor }: OpenNetwork,
  since: bigint | undefined,
  onFailure: (problem: unknown) => void,
): Promise<RegistryChanges | undefined> {
  try {
    return await readRegistryChanges(await voters(), processor, since);
  } catch (problem) {
    onFailure(problem);
    return undefined;
  }
}

function checkPage(open: OpenNetwork, deps: MirrorDeps, note: ReturnType<typeof noteFailures>): CheckPage {
  const { network } = open;
  return async (page) => {
    let isWhole = true;
    const onFailure = ({ payoutId }: Payout, problem: unknown) => {
      isWhole = false;
      note({ payoutId }, problem);
    };
    const entries = await readIsolated(page, (some) => readByQuorum(open, some), onFailure);
    const contradicted = page.filter((payout) => entries.get(payout) === 'contradicted');
    if (contradicted.length > 0) {
      isWhole = false;
      const details = { network, payouts: contradicted.length, firstPayoutId: contradicted[0]?.payoutId };
      deps.log('rpc_endpoints_contradict_payouts', details);
    }
    const same: Payout[] = [];
    await forEachIsolated(
      page,
      async (payout) => {
        const entry = entries.get(payout);
        if (entry === undefined || entry === 'contradicted') return;
        if ((await mirror(open, deps, payout, entry)) === 'same') same.push(payout);
      },
      onFailure,
    );
    await deps.payouts.markCompared(open, same);
    return isWhole;
  };
}

/** Entries in the order of the payouts. */
async function readByQuorum(
  { processor, voters }: OpenNetwork,
  payouts: readonly Payout[],
): Promise<readonly (RegistryEntry | 'contradicted')[]> {
  const ids = payouts.map(({ payoutId }) => BigInt(payoutId));
  const views = await collectNodeViews(await voters(), (node) => readPayouts(node, processor, ids));
  return ids.map((_, index) => {
    const told = views.flatMap((entries) => entries[index] ?? []);
    return majorityOf(told, viewKey)?.[0] ?? 'contradicted';
  });
}

/** Writes only what the row as it was loaded does not say yet. */
async function mirror(
  { network, processor }: OpenNetwork,
  { payouts, clock, log }: MirrorDeps,
  stored: Payout,
  { terms, status }: RegistryEntry,
): Promise<MirroredPayout> {
  if (status === 'unregistered') return 'same';
  const { payoutId } = terms;
  const splits = terms.splits.map(({ to, bps }) => ({ to, bps: basisPoints(bps) }));
  const registered: RegisteredPayout = {
    network,
    processor,
    payoutId,
    status,
    transactionId: null,
    terms: { ...terms, splits },
  };
  const seen = decideMirroredPayout(stored, registered);
  const result = seen.status === undefined ? seen.result : await payouts.mirrorPayout(registered, clock.nowMs());
  if (result === 'differs') log('payout_terms_differ', { network, processor, payoutId: payoutId.toString() });
  return result;
}

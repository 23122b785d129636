// Ends direct authorizations that no log ends: a payment fails when a finalized block is past its window and nobody used it,
// and a refused authorization is closed. If the chain calls one used and no log was read of it, its logs are read again.

import type { BlockRef, ReaderChain } from '../reader/reader-chain.ts';
import type { ReaderStore } from '../reader/reader-store.ts';
import type { AuthorizationChain, AuthorizationReader } from '../stranded/authorization-chain.ts';
import { FIRST_AUTHORIZATION } from '../stranded/stranded-store.ts';
import { forEachIsolated, noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import { readIsolated } from '../watch/read-isolated.ts';
import { remember } from '../watch/remember.ts';
import { createWalk } from '../watch/walk-pages.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import { type DirectDecision, decideOnDirect, needsState } from './decide-on-direct.ts';
import type { DirectStore, OpenDirect } from './direct-store.ts';
import { findMissedUse } from './find-missed-use.ts';

export type DirectWatchDeps = WatchBase & {
  readonly direct: DirectStore;
  readonly reader: Pick<ReaderStore, 'loadCursors' | 'keepLogs'>;
};

export type DirectWatchChain = Pick<AuthorizationChain, 'network' | 'readAuthorizations'> & {
  readonly limits: Pick<AuthorizationChain['limits'], 'authorizations'>;
  readonly nodes: ReaderChain['nodes'];
};

/** Logs are read again for one authorization once, and for all of a token at most this often. */
const AGAIN_MS = 60_000;
const MOST_REMEMBERED = 10_000;
/** Later than any accepted expiry. */
const FAR_SECONDS = 2n ** 62n;

export function createDirectWatch(chain: DirectWatchChain, deps: DirectWatchDeps): PeriodicJob {
  const { network, limits } = chain;
  const { everyMs, pageSize, expiredPages, validPages } = limits.authorizations;
  const { direct, reader } = deps;
  const note = noteFailures(network, 'direct', deps);
  const onFailure = ({ intentId, paymentId }: OpenDirect, problem: unknown) => note({ intentId, paymentId }, problem);
  const again = createReadAgain(chain, deps);
  let finalizedTimeSeconds = 0n;
  const walkExpired = (load: DirectStore['loadOpenDirect']) =>
    createWalk<OpenDirect>({
      load: (after, limit) => load(network, after ?? FIRST_AUTHORIZATION, finalizedTimeSeconds, limit),
      pageSize,
      maxPages: expiredPages,
    });
  const walkValid = (load: DirectStore['loadOpenDirect']) =>
    createWalk<OpenDirect>({
      load: (after, limit) => {
        const behind = after === undefined || after.validBeforeSeconds < finalizedTimeSeconds;
        const from = behind ? { validBeforeSeconds: finalizedTimeSeconds, claimKey: new Uint8Array() } : after;
        return load(network, from, FAR_SECONDS, limit);
      },
      pageSize,
      maxPages: validPages,
    });
  // The logs tell the use of a refused authorization. The chain is asked only when it has expired: strangers may submit many.
  const walks = [
    walkExpired(direct.loadOpenDirect),
    walkValid(direct.loadOpenDirect),
    walkExpired(direct.loadOpenRefused),
  ];
  return {
    name: jobName('direct', network),
    everyMs,
    run: async () => {
      // A network without a token that is read has no direct payments, and its nodes are not asked.
      const cursors = await reader.loadCursors(network);
      if (!cursors.some(({ kind }) => kind === 'token')) return;
      const chainReader = await chain.readAuthorizations();
      finalizedTimeSeconds = chainReader.finalizedTimeSeconds;
      const readUntil = new Map(cursors.map(({ address, at }) => [address, at]));
      for (const pages of walks)
        await pages((page) => checkPage(deps, again, { chainReader, readUntil }, page, onFailure));
    },
  };
}

type Sight = {
  readonly chainReader: AuthorizationReader;
  /** By token in lower case. */
  readonly readUntil: ReadonlyMap<string, BlockRef>;
};

async function checkPage(
  deps: DirectWatchDeps,
  again: ReadAgain,
  { chainReader, readUntil }: Sight,
  page: readonly OpenDirect[],
  onFailure: (row: OpenDirect, problem: unknown) => void,
): Promise<void> {
  const isExpired = (row: OpenDirect) => row.validBeforeSeconds < chainReader.finalizedTimeSeconds;
  const asked = page.filter((row) => needsState(row, isExpired(row)));
  const states = await readIsolated(asked, (some) => chainReader.readStates(some, 'quorum'), onFailure);
  const over: OpenDirect[] = [];
  await forEachIsolated(
    page,
    async (row) => {
      const state = states.get(row);
      const passed = readUntil.get(row.asset.toLowerCase());
      const readUntilSeconds = passed?.timeSeconds;
      const usedAtSeconds = state === 'used' ? again.usedAt(row, chainReader.finalizedTimeSeconds) : undefined;
      const wasReadAgain = again.wasRead(row);
      const sight = { state, isExpired: isExpired(row), readUntilSeconds, usedAtSeconds, wasReadAgain };
      const decision = decideOnDirect(row, sight);
      if (decision === 'close') over.push(row);
      else if (decision === 'read_again') await again.read(row, passed);
      else await act(deps, again, row, decision, { state: state ?? 'open', readUntilSeconds });
    },
    onFailure,
  );
  const nowMs = deps.clock.nowMs();
  const [refused, claimed] = [over.filter((row) => row.refused), over.filter((row) => !row.refused)];
  await deps.direct.closeDirect(claimed, nowMs);
  await deps.direct.closeRefused(
    refused.map(({ claimKey }) => claimKey),
    nowMs,
  );
}

async function act(
  { direct, clock, log }: DirectWatchDeps,
  again: ReadAgain,
  row: OpenDirect,
  decision: DirectDecision,
  facts: Parameters<DirectStore['failExpired']>[1],
): Promise<void> {
  const nowMs = clock.nowMs();
  const { intentId, paymentId, payer, asset } = row;
  const details = { network: again.network, intentId, paymentId, payer, asset };
  if (decision === 'queue_again' && again.mayQueue(row)) await direct.queueAgain(row, nowMs);
  if (decision === 'report') log('authorization_use_unexplained', details);
  if (decision === 'fail_used' && (await direct.failUsed(row, nowMs)))
    log('direct_payment_failed', { ...details, code: 'authorization_already_used' });
  if (decision === 'fail_expired') {
    const code = await direct.failExpired(row, facts, nowMs);
    if (code !== undefined) log('direct_payment_failed', { ...details, code });
  }
}

type ReadAgain = {
  readonly network: string;
  /** Time of the finalized block at which this process first found it used. */
  readonly usedAt: (row: OpenDirect, finalizedTimeSeconds: bigint) => bigint;
  /** Its logs were read again, and long enough ago to be applied. Kept in memory only. */
  readonly wasRead: (row: OpenDirect) => boolean;
  readonly read: (row: OpenDirect, passed: BlockRef | undefined) => Promise<void>;
  /** At most once a minute for each: until a use is final, a lane holds the payment again at once. */
  readonly mayQueue: (row: OpenDirect) => boolean;
};

function createReadAgain(chain: DirectWatchChain, { reader, clock, log }: DirectWatchDeps): ReadAgain {
  const { network } = chain;
  const readAtMs = new Map<string, number>();
  const usedAtSeconds = new Map<string, bigint>();
  const tokenAtMs = new Map<string, number>();
  const queuedAtMs = new Map<string, number>();
  const keyOf = ({ claimKey }: OpenDirect) => Buffer.from(claimKey).toString('hex');
  return {
    network,
    usedAt: (row, finalizedTimeSeconds) => {
      const known = usedAtSeconds.get(keyOf(row));
      if (known !== undefined) return known;
      remember(usedAtSeconds, keyOf(row), finalizedTimeSeconds, MOST_REMEMBERED);
      return finalizedTimeSeconds;
    },
    wasRead: (row) => clock.nowMs() - (readAtMs.get(keyOf(row)) ?? Number.POSITIVE_INFINITY) >= AGAIN_MS,
    mayQueue: (row) => {
      const nowMs = clock.nowMs();
      if (nowMs - (queuedAtMs.get(keyOf(row)) ?? 0) < AGAIN_MS) return false;
      remember(queuedAtMs, keyOf(row), nowMs, MOST_REMEMBERED);
      return true;
    },
    read: async (row, passed) => {
      const token = row.asset.toLowerCase();
      const nowMs = clock.nowMs();
      const { unusedAtBlock } = row;
      if (unusedAtBlock === null || passed === undefined || readAtMs.has(keyOf(row))) return;
      if (nowMs - (tokenAtMs.get(token) ?? 0) < AGAIN_MS) return;
      tokenAtMs.set(token, nowMs);
      const missed = await findMissedUse(await chain.nodes(), { ...row, unusedAtBlock }, passed);
      if (missed === undefined) return;
      await reader.keepLogs(network, missed, nowMs);
      remember(readAtMs, keyOf(row), nowMs, MOST_REMEMBERED);
      log('direct_logs_read_again', {
        network,
        asset: token,
        fromBlock: unusedAtBlock.toString(),
        intentId: row.intentId,
        found: missed.length,
      });
    },
  };
}

// Finds payments that wallets sent by themselves, by the reference key of their intent. A run reads the references whose time
// has come; what fails or can't be decided waits for a later run and holds up no other reference. The cursor of a reference
// passes a transaction only when that is decided, so a run that ends anywhere is repeated from there.
import { mapConcurrent } from '../lane/map-concurrent.ts';
import { noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import { nextReadAtMs } from './reading-times.ts';
import type { ReferenceChain, ReferenceSight } from './reference-chain.ts';
import type { DueReference, ReferenceStore } from './reference-store.ts';
import { type TellApplied, tellApplied } from './tell-applied.ts';

export type ReferenceLimits = {
  readonly everyMs: number;
  /** References that one run reads. */
  readonly perRun: number;
  readonly atOnce: number;
  /** Transactions of one reference that one run reads: strangers may name it in as many as they pay for. */
  readonly perReference: number;
  /** A transaction that can't be decided for longer than this is told. */
  readonly lateMs: number;
};

export const REFERENCE_LIMITS: ReferenceLimits = {
  everyMs: 1_000,
  perRun: 200,
  atOnce: 8,
  perReference: 10,
  lateMs: 600_000,
};

export type ReferenceDeps = WatchBase & TellApplied & { readonly references: ReferenceStore };

export function createReferenceReader(
  chain: ReferenceChain,
  deps: ReferenceDeps,
  limits: ReferenceLimits = REFERENCE_LIMITS,
): PeriodicJob {
  const { network } = chain;
  const { references, clock } = deps;
  const note = noteFailures(network, 'references', deps);
  return {
    name: jobName('references', network),
    everyMs: limits.everyMs,
    run: async () => {
      const due = await references.loadDue(network, clock.nowMs(), limits.perRun);
      if (due.length === 0) return;
      const beganAtMs = clock.nowMs();
      const sight = await chain.look();
      await mapConcurrent(limits.atOnce, due, async (reference) => {
        try {
          if (reference.reference !== (await chain.referenceOf(reference.intentId)))
            return await dropForged(reference, deps);
          await readReference({ sight, beganAtMs }, reference, deps, limits);
        } catch (problem) {
          const { intentId } = reference;
          note({ intentId, reference: reference.reference }, problem);
          // It is not read again at once: references that fail would keep the run from the others.
          await references.noteRead(reference, {
            cursor: reference.cursor,
            waitsSinceMs: reference.waitsSinceMs ?? clock.nowMs(),
            wholeSinceMs: null,
            nextReadAtMs: clock.nowMs() + AFTER_FAILURE_MS,
          });
        }
      });
    },
  };
}

const AFTER_FAILURE_MS = 10_000;

/** Kept, the row would hold the place of the true key of its intent, or that of another intent which has this key. */
async function dropForged(reference: DueReference, { references, log }: ReferenceDeps): Promise<void> {
  const { network, intentId, cursor, waitsSinceMs } = reference;
  log('reference_forged', { network, intentId, reference: reference.reference });
  await references.noteRead(reference, { cursor, waitsSinceMs, wholeSinceMs: null, nextReadAtMs: null });
}

async function readReference(
  { sight, beganAtMs }: { readonly sight: ReferenceSight; readonly beganAtMs: number },
  reference: DueReference,
  deps: ReferenceDeps,
  { perReference, lateMs }: ReferenceLimits,
): Promise<void> {
  const { references, clock, log } = deps;
  const { network, intentId } = reference;
  const named = { network, intentId, reference: reference.reference };
  const listed = await sight.list(reference.reference, reference.cursor);
  if (listed.isFlooded) log('reference_flooded', named);
  let { cursor } = reference;
  let undecided: string | undefined;
  let reads = 0;
  const agreed = listed.transactions.filter(({ isAgreed }) => isAgreed);
  for (const { transactionId, hasFailed } of agreed) {
    if (!hasFailed) {
      if (reads === perReference) break;
      reads += 1;
      // What a quorum lists is there, though a node may tell its list earlier than the transaction.
      if ((await decide(sight, reference, transactionId, deps)) !== 'decided') {
        undecided = transactionId;
        break;
      }
    }
    if (listed.isWhole) cursor = transactionId;
  }
  // One node may make up as many as it likes: they are read apart, so that they hold up none that a quorum lists.
  const doubtful = listed.transactions.filter(({ isAgreed }) => !isAgreed);
  for (const { transactionId } of doubtful.slice(0, perReference))
    if ((await decide(sight, reference, transactionId, deps)) === 'waits') undecided ??= transactionId;
  // An older one that others hide must not be passed.
  if (undecided !== undefined && !agreed.some(({ transactionId }) => transactionId === undecided))
    cursor = reference.cursor;
  const nowMs = clock.nowMs();
  const isBehind = undecided !== undefined || !listed.isWhole;
  const waitsSinceMs = isBehind ? (reference.waitsSinceMs ?? nowMs) : null;
  if (waitsSinceMs !== null && nowMs - waitsSinceMs >= lateMs)
    log('reference_undecided', { ...named, ...(undecided !== undefined && { transactionId: undecided }) });
  const next = nextReadAtMs(reference, nowMs);
  const hasMore = reads === perReference;
  await references.noteRead(reference, {
    cursor,
    waitsSinceMs,
    wholeSinceMs: isBehind || hasMore ? null : beganAtMs,
    nextReadAtMs: isBehind || hasMore ? Math.min(next ?? nowMs + AFTER_FAILURE_MS, nowMs + AFTER_FAILURE_MS) : next,
  });
}

async function decide(
  sight: ReferenceSight,
  reference: DueReference,
  transactionId: string,
  deps: ReferenceDeps,
): Promise<'decided' | 'absent' | 'waits'> {
  const read = await sight.read(transactionId);
  if (read.kind === 'unknown') return 'waits';
  if (read.kind === 'absent') return 'absent';
  if (read.kind === 'failed') return 'decided';
  const { movement } = read;
  const applied = await deps.references.apply(reference, movement, deps.clock.nowMs());
  if (applied.outcome === 'waits') return 'waits';
  const { network, intentId } = reference;
  tellApplied(deps, { network, intentId, source: reference.reference, transactionId }, applied);
  return 'decided';
}

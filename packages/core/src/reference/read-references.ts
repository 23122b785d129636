// Finds payments that wallets sent by themselves, by the reference key of their intent. A run reads the references whose time
// has come; what fails or can't be decided waits for a later run and holds up no other reference. The cursor of a reference
// passes a transaction only when that is decided, so a run that ends anywhere is repeated from there.
import { mapConcurrent } from '../lane/map-concurrent.ts';
import { noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import { createReadMemory, noteState, type ReadMemory, type ReadState, type ReferenceMemory } from './read-memory.ts';
import { nextReadAtMs } from './reading-times.ts';
import type { ListedTransaction, ReferenceChain, ReferenceSight } from './reference-chain.ts';
import type { DueReference, ReferenceStore } from './reference-store.ts';
import { type TellApplied, tellApplied } from './tell-applied.ts';

export type ReferenceLimits = {
  readonly everyMs: number;
  /** References that one run reads. */
  readonly perRun: number;
  readonly atOnce: number;
  /** Transactions of one reference that one run reads: strangers may name it in as many as they pay for. */
  readonly perReference: number;
  /** Pages of a list that one run asks for. They double while all that they show is decided and older ones are missing. */
  readonly pages: number;
  readonly mostPages: number;
  /** Transactions that a process remembers to have read. */
  readonly remembered: number;
  /** A transaction that can't be decided for longer than this is told. */
  readonly lateMs: number;
};

export const REFERENCE_LIMITS: ReferenceLimits = {
  everyMs: 1_000,
  perRun: 200,
  atOnce: 8,
  perReference: 10,
  pages: 10,
  // Of 1,000 transactions each: who hides a payment behind more pays 0.8 SOL of fees.
  mostPages: 160,
  remembered: 200_000,
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
  const memory = createReadMemory(limits.remembered, limits.pages);
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
          await readReference({ sight, beganAtMs, memory }, reference, deps, limits);
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
/** After a run that has left some unread. */
const MORE_AFTER_MS = 1_000;

/** Kept, the row would hold the place of the true key of its intent, or that of another intent which has this key. */
async function dropForged(reference: DueReference, { references, log }: ReferenceDeps): Promise<void> {
  const { network, intentId, cursor, waitsSinceMs } = reference;
  log('reference_forged', { network, intentId, reference: reference.reference });
  await references.noteRead(reference, { cursor, waitsSinceMs, wholeSinceMs: null, nextReadAtMs: null });
}

type Run = { readonly sight: ReferenceSight; readonly beganAtMs: number; readonly memory: ReadMemory };

async function readReference(
  { sight, beganAtMs, memory }: Run,
  reference: DueReference,
  deps: ReferenceDeps,
  { perReference, lateMs, mostPages }: ReferenceLimits,
): Promise<void> {
  const { references, clock, log } = deps;
  const { network, intentId } = reference;
  const named = { network, intentId, reference: reference.reference };
  const known = memory.of(reference.reference);
  const listed = await sight.list(reference.reference, reference.cursor, known.pages);
  if (listed.isFlooded) log('reference_flooded', named);
  const read = async (transactionId: string) =>
    noteState(known, transactionId, await decide(sight, reference, transactionId, deps));
  const agreed = listed.transactions.filter(({ isAgreed }) => isAgreed);
  const open = await readAgreed(agreed, known, read, perReference);
  const doubted = await readDoubtful(listed.transactions, known, read, perReference);
  const isHeld = doubted !== undefined || !listed.isWhole;
  const cursor = (isHeld ? undefined : lastBefore(agreed, open)) ?? reference.cursor;
  const left = [open?.transactionId, doubted].filter((id) => id !== undefined);
  const stuck = left.find((id) => known.states.has(id));
  const hasMore = left.some((id) => !known.states.has(id));
  if (!listed.isWhole && open === undefined) known.pages = Math.min(known.pages * 2, mostPages);
  if (isHeld || open !== undefined) memory.keep(reference.reference, known);
  else memory.forget(reference.reference);
  const nowMs = clock.nowMs();
  const isBehind = isHeld || (open !== undefined && !hasMore);
  const waitsSinceMs = isBehind ? (reference.waitsSinceMs ?? nowMs) : null;
  if (waitsSinceMs !== null && nowMs - waitsSinceMs >= lateMs)
    log('reference_undecided', { ...named, ...(stuck !== undefined && { transactionId: stuck }) });
  const next = nextReadAtMs(reference, nowMs);
  const soon = nowMs + (stuck === undefined && hasMore ? MORE_AFTER_MS : AFTER_FAILURE_MS);
  await references.noteRead(reference, {
    cursor,
    waitsSinceMs,
    wholeSinceMs: isBehind || hasMore ? null : beganAtMs,
    nextReadAtMs: isBehind || hasMore ? Math.min(next ?? soon, soon) : next,
  });
}

type ReadOne = (transactionId: string) => Promise<void>;

/** Returns the oldest one that is not decided yet. */
async function readAgreed(
  agreed: readonly ListedTransaction[],
  { states }: ReferenceMemory,
  read: ReadOne,
  most: number,
): Promise<ListedTransaction | undefined> {
  let reads = 0;
  for (const one of agreed) {
    const isDecided = () => one.hasFailed || states.get(one.transactionId)?.state === 'decided';
    if (isDecided()) continue;
    if (reads === most) return one;
    reads += 1;
    await read(one.transactionId);
    // What a quorum lists is there, though a node may tell its list earlier than the transaction.
    if (!isDecided()) return one;
  }
  return undefined;
}

/**
 * One node may make up as many as it likes: they are read apart, so that they hold up none that a quorum lists, and in turn.
 * Returns one that is not read yet, or can't be decided: others may hide it, and the cursor must not pass it.
 */
async function readDoubtful(
  listed: readonly ListedTransaction[],
  { states }: ReferenceMemory,
  read: ReadOne,
  most: number,
): Promise<string | undefined> {
  const stateOf = (transactionId: string) => states.get(transactionId)?.state;
  const doubtful = listed.filter(({ isAgreed }) => !isAgreed).map(({ transactionId }) => transactionId);
  const readsOf = (transactionId: string) => states.get(transactionId)?.reads ?? 0;
  const inTurn = doubtful
    .filter((id) => stateOf(id) !== 'decided')
    .toSorted((one, other) => readsOf(one) - readsOf(other));
  for (const transactionId of inTurn.slice(0, most)) await read(transactionId);
  return doubtful.find((id) => stateOf(id) === 'waits') ?? doubtful.find((id) => stateOf(id) === undefined);
}

/**
 * The last transaction of the slots before that of `open`, or of all. Nodes may order the transactions of one slot in
 * different ways, so the cursor never stands between two of a slot while one of them is not decided.
 */
const lastBefore = (agreed: readonly ListedTransaction[], open: ListedTransaction | undefined): string | undefined =>
  agreed.findLast(({ slot }) => open === undefined || slot < open.slot)?.transactionId;

async function decide(
  sight: ReferenceSight,
  reference: DueReference,
  transactionId: string,
  deps: ReferenceDeps,
): Promise<ReadState> {
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

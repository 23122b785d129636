// Reads the token ledgers of a network block by block from a durable cursor, and finds the transfers that pay intents. The
// cursor and the transfers that it passes are written together; transfers are applied afterwards, each by itself, so that one
// that can't be applied holds up neither the cursor nor another.
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { type TellApplied, tellApplied } from '../reference/tell-applied.ts';
import { blockName } from '../token/block-name.ts';
import { forEachIsolated, noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import type { IcrcChain } from './icrc-chain.ts';
import type { DueIcrcTransfer, IcrcStore, LedgerCursor } from './icrc-store.ts';
import { blockTimeMs, judgeBlocks } from './judge-blocks.ts';

export type IcrcLimits = {
  readonly everyMs: number;
  /** Blocks of one ledger that one run reads, and that one call asks for. */
  readonly perRun: number;
  readonly perCall: number;
  /** Transfers that one run applies. */
  readonly applied: number;
};

export const ICRC_LIMITS: IcrcLimits = { everyMs: 2_000, perRun: 500, perCall: 100, applied: 200 };

export type IcrcDeps = WatchBase & TellApplied & { readonly icrc: IcrcStore };

export function createTokenLedgerReader(
  chain: IcrcChain,
  deps: IcrcDeps,
  limits: IcrcLimits = ICRC_LIMITS,
): PeriodicJob {
  const { network, ledgers } = chain;
  const { icrc, clock } = deps;
  const note = noteFailures(network, 'token-ledgers', deps);
  return {
    name: jobName('token-ledgers', network),
    everyMs: limits.everyMs,
    run: async () => {
      await forEachIsolated(
        ledgers,
        (ledger) => readLedger(chain, ledger, deps, limits),
        (ledger, problem) => note({ ledger }, problem),
      );
      await forEachIsolated(
        await icrc.loadDue(network, clock.nowMs(), limits.applied),
        (transfer) => applyDue(transfer, deps),
        ({ ledger, index, intentCode }, problem) =>
          note({ ledger, blockIndex: `${index}`, intentCode: `${intentCode}` }, problem),
      );
    },
  };
}

async function readLedger(
  chain: IcrcChain,
  ledger: string,
  { icrc, clock, log }: IcrcDeps,
  { perRun, perCall }: IcrcLimits,
): Promise<void> {
  const { network } = chain;
  let cursor: LedgerCursor = (await icrc.loadCursor(network, ledger)) ?? (await openCursor(chain, ledger, icrc));
  for (let read = 0; read < perRun; ) {
    const beganAtMs = clock.nowMs();
    const judged = judgeBlocks(cursor, await chain.blocks(ledger, cursor.nextIndex, Math.min(perCall, perRun - read)));
    if (judged.verdict === 'forked') {
      log('token_ledger_forked', { network, ledger, blockIndex: `${judged.index}` });
      return await icrc.stopCursor(cursor, clock.nowMs());
    }
    const wholeSinceMs = judged.isWhole ? beganAtMs : null;
    // Another process may have moved the cursor: it goes on from there.
    if (!(await icrc.moveCursor(cursor, { ...judged.read, wholeSinceMs }, clock.nowMs()))) return;
    if (judged.isWhole) return;
    const { nextIndex } = judged.read;
    if (nextIndex === cursor.nextIndex)
      throw new ChainUnavailable(`${ledger} has block ${nextIndex} and does not tell it`);
    read += Number(nextIndex - cursor.nextIndex);
    cursor = { ...cursor, ...judged.read };
  }
}

/** The clock of a ledger may differ from ours by as much. */
const CLOCKS_DIFFER_MS = 600_000;

/** Begins with the first block that may pay an intent: none was made before the first payout. */
async function openCursor(chain: IcrcChain, ledger: string, icrc: IcrcStore): Promise<LedgerCursor> {
  const { network } = chain;
  const beginning = await icrc.loadBeginning(network);
  const { length } = await chain.blocks(ledger, 0n, 1);
  const nextIndex =
    beginning === null ? length : await firstBlockSince(chain, ledger, length, beginning - CLOCKS_DIFFER_MS);
  const [before] = nextIndex === 0n ? [] : (await chain.blocks(ledger, nextIndex - 1n, 1)).blocks;
  await icrc.openCursor({ network, ledger, nextIndex, lastHash: before?.hash ?? null });
  const opened = await icrc.loadCursor(network, ledger);
  if (opened === undefined) throw new Error(`the cursor of ${ledger} was not opened`);
  return opened;
}

/** The time of a block is not before that of an earlier one. */
async function firstBlockSince(chain: IcrcChain, ledger: string, length: bigint, sinceMs: number): Promise<bigint> {
  let [low, high] = [0n, length];
  while (low < high) {
    const middle = (low + high) / 2n;
    const [block] = (await chain.blocks(ledger, middle, 1)).blocks;
    if (block === undefined) throw new ChainUnavailable(`${ledger} has block ${middle} and does not tell it`);
    if (blockTimeMs(block.timestampNs) < sinceMs) low = middle + 1n;
    else high = middle;
  }
  return low;
}

const TRY_AGAIN_MS = 1_000;
const TRY_AGAIN_AT_MOST_MS = 600_000;

async function applyDue(transfer: DueIcrcTransfer, deps: IcrcDeps): Promise<void> {
  const { icrc, clock } = deps;
  const { network, ledger, tries } = transfer;
  let isApplied = false;
  try {
    const applied = await icrc.apply(transfer, clock.nowMs());
    if (applied.outcome === 'waits') return;
    isApplied = true;
    tellApplied(deps, { network, source: ledger, transactionId: blockName(transfer) }, applied);
  } finally {
    const delayMs = Math.min(TRY_AGAIN_MS * 2 ** Math.min(tries, 20), TRY_AGAIN_AT_MOST_MS);
    if (!isApplied) await icrc.defer(transfer, clock.nowMs() + delayMs);
  }
}

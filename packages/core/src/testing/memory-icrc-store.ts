// IcrcStore in memory, and the expiry of intents that are paid on token ledgers.
import {
  asideAs,
  blockName,
  FINAL_AFTER_END_MS,
  type IcrcStore,
  type IcrcTransfer,
  type KnownBlock,
  type LedgerCursor,
  type NamedForIntent,
  PAYABLE_INTENT,
  type ReadBlocks,
  receiptIndex,
} from '../index.ts';
import { proofKey } from './memory-direct-tables.ts';
import { applyTransfer } from './memory-icrc-apply.ts';
import type { MemoryIcrcCursor } from './memory-icrc-tables.ts';
import { ofNetwork, rowsOfNetwork } from './memory-reader-tables.ts';
import { hexKey, type IntentRow, type Statement, type Tables } from './memory-tables.ts';

export function createMemoryIcrcStore(tables: Tables, statement: Statement): IcrcStore {
  const { icrcCursors, icrcPayouts, icrcTransfers } = tables;
  return {
    loadCursor: (network, ledger) =>
      statement('loadCursor', () => {
        const row = icrcCursors.get(ofNetwork(network, ledger));
        if (row === undefined) return undefined;
        const { stoppedAtMs, ...cursor } = row;
        return { ...cursor, isStopped: stoppedAtMs !== null };
      }),
    loadBeginning: (network) =>
      statement('loadBeginning', () => {
        const times = icrcPayouts.filter((payout) => payout.network === network).map(({ createdAtMs }) => createdAtMs);
        return times.length === 0 ? null : Math.min(...times);
      }),
    openCursor: ({ network, ledger, nextIndex, lastHash }) =>
      statement('openCursor', () => {
        const key = ofNetwork(network, ledger);
        if (icrcCursors.has(key)) return;
        icrcCursors.set(key, { network, ledger, nextIndex, lastHash, stoppedAtMs: null, readAtMs: null });
      }),
    moveCursor: (cursor, read, nowMs) => statement('moveCursor', () => moveCursor(tables, cursor, read, nowMs)),
    stopCursor: (cursor, nowMs) =>
      statement('stopCursor', () => {
        const row = standingAt(tables, cursor);
        if (row === undefined) return;
        icrcCursors.set(ofNetwork(row.network, row.ledger), { ...row, stoppedAtMs: row.stoppedAtMs ?? nowMs });
      }),
    keep: (transfer, nowMs) => statement('keepTransfer', () => keep(tables, [transfer], nowMs)),
    findBlock: (block) => statement('findBlock', () => findBlock(tables, block)),
    loadDue: (network, nowMs, limit) =>
      statement('loadDue', () =>
        rowsOfNetwork(icrcTransfers, network)
          .filter(({ nextTryAtMs }) => nextTryAtMs <= nowMs)
          .toSorted((one, other) => one.nextTryAtMs - other.nextTryAtMs || Number(one.index - other.index))
          .slice(0, limit)
          .map(({ nextTryAtMs: _time, ...due }) => due),
      ),
    apply: (transfer, nowMs) => statement('applyTransfer', () => applyTransfer(tables, transfer, nowMs)),
    defer: (transfer, nextTryAtMs) =>
      statement('defer', () => {
        const key = ofNetwork(transfer.network, blockName(transfer));
        const row = icrcTransfers.get(key);
        if (row !== undefined) icrcTransfers.set(key, { ...row, tries: row.tries + 1, nextTryAtMs });
      }),
    loadPayable: ({ accountId, mode, intentId }) =>
      statement('loadPayable', () => {
        const intent = tables.intents.get(intentId)?.intent;
        if (intent?.accountId !== accountId || intent.mode !== mode) return undefined;
        const offered = tables.acceptances.get(intentId) ?? [];
        const ways = offered.map(({ network, token, payTo }) => ({ network, token: token.address, payTo }));
        return { intentCode: BigInt(intent.intentCode), ways };
      }),
  };
}

/** The row, if it is where it was loaded; one that was opened anew at the same block has another hash. */
function standingAt(
  { icrcCursors }: Tables,
  { network, ledger, nextIndex, lastHash }: LedgerCursor,
): MemoryIcrcCursor | undefined {
  const row = icrcCursors.get(ofNetwork(network, ledger));
  const hexOf = (hash: Uint8Array | null) => hash && hexKey(hash);
  return row?.nextIndex === nextIndex && hexOf(row.lastHash) === hexOf(lastHash) ? row : undefined;
}

function moveCursor(
  tables: Tables,
  cursor: LedgerCursor,
  { nextIndex, lastHash, transfers, wholeSinceMs }: ReadBlocks,
  nowMs: number,
): boolean {
  const row = standingAt(tables, cursor);
  if (row === undefined) return false;
  const isPassed = nextIndex > row.nextIndex;
  const readAtMs =
    wholeSinceMs !== null && (row.stoppedAtMs === null || isPassed)
      ? Math.max(row.readAtMs ?? wholeSinceMs, wholeSinceMs)
      : row.readAtMs;
  const stoppedAtMs = isPassed ? null : row.stoppedAtMs;
  tables.icrcCursors.set(ofNetwork(row.network, row.ledger), { ...row, nextIndex, lastHash, readAtMs, stoppedAtMs });
  keep(tables, transfers, nowMs);
  return true;
}

function keep({ icrcPayouts, icrcTransfers }: Tables, transfers: readonly IcrcTransfer[], nowMs: number): void {
  for (const transfer of transfers) {
    const { network, to } = transfer;
    const key = ofNetwork(network, blockName(transfer));
    const isOurs = icrcPayouts.some((payout) => payout.network === network && payout.merchant === to);
    if (isOurs && !icrcTransfers.has(key)) icrcTransfers.set(key, { ...transfer, tries: 0, nextTryAtMs: nowMs });
  }
}

function findBlock({ icrcTransfers, proofs, settlements }: Tables, block: NamedForIntent): KnownBlock | undefined {
  const proofAt = (logIndex: number) => proofs.get(proofKey(block.network, blockName(block), logIndex));
  const proof = proofAt(0);
  if (proof?.refundId !== undefined) return 'refund';
  if (proof !== undefined && proof.paymentId !== null)
    return settlements.get(proof.paymentId)?.item.intentId === block.intentId ? 'of_intent' : 'of_another_intent';
  const aside = proofAt(receiptIndex(block.intentCode));
  if (aside !== undefined)
    return block.accounts.includes(aside.about?.merchant ?? '') ? asideAs(aside.reason ?? '') : undefined;
  const kept = icrcTransfers.get(ofNetwork(block.network, blockName(block)));
  if (kept !== undefined && kept.intentCode !== block.intentCode) return 'of_another_intent';
  return kept !== undefined && block.accounts.includes(kept.to) ? 'kept' : undefined;
}

/** A ledger that nobody reads for longer keeps no intent open. */
const READER_STALLED_MS = 3_600_000;

/** Cancels intents that were not paid in time, as far as their ledgers are read and what was found there is applied. */
export function expireLedgerIntents(tables: Tables, nowMs: number): number {
  const over = [...tables.intents.values()].filter(
    ({ intent }) =>
      PAYABLE_INTENT.some((status) => status === intent.status) &&
      intent.expiresAtMs <= nowMs &&
      ![...tables.icrcTransfers.values()].some(({ intentCode }) => intentCode === BigInt(intent.intentCode)),
  );
  const expired = over.filter((row) => row.intent.expiresAtMs <= nowMs - READER_STALLED_MS || isRead(tables, row));
  for (const row of expired) {
    row.intent = { ...row.intent, status: 'canceled' };
    row.version += 1;
  }
  return expired.length;
}

/** Each ledger of the intent's acceptances was read to its end since all that was paid in time is in its blocks. */
function isRead({ acceptances, icrcCursors }: Tables, { intent }: IntentRow): boolean {
  return (acceptances.get(intent.id) ?? [])
    .filter(({ network }) => network.startsWith('icp:'))
    .map(({ network, token }) => icrcCursors.get(ofNetwork(network, token.address))?.readAtMs ?? null)
    .every((readAtMs) => readAtMs !== null && readAtMs >= intent.expiresAtMs + FINAL_AFTER_END_MS);
}

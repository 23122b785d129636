// Compares one mined transaction with the entries of all payments it settled: token transfers, amounts kept by the
// processor, and gas. The processor pays each recipient once per transaction, so only sums can be compared.
import {
  type BookedEntry,
  type BookedPaymentRow,
  isNative,
  liveEntries,
  NETWORK_PARTY,
  paymentSource,
} from '@svc-pay/core';
import { type ChainLog, escrowedOf, transferOf } from './processor-logs.ts';
import type { MinedReceipt } from './read-receipts.ts';

export type TransactionProblem = {
  readonly check: 'transfers' | 'gas';
  /** A payment id or an address. */
  readonly about: string;
  readonly message: string;
};

/**
 * `rows`: all payments that the transaction completed or whose stranded money it returned. `lostAtomic`: the cost that
 * the books record for the transaction besides those payments.
 */
export function examineTransaction(
  receipt: MinedReceipt,
  rows: readonly BookedPaymentRow[],
  lostAtomic: bigint,
  processors: readonly string[],
): readonly TransactionProblem[] {
  const entriesOf = (some: readonly BookedPaymentRow[]) =>
    some
      .flatMap((row) => liveEntries(row.entries).live)
      .filter((entry) => entry.transactionId.toLowerCase() === receipt.transactionId);
  // No processor moves the money of a direct payment: `examineDirect` compares its transfer.
  const processed = rows.filter((row) => paymentSource(row) !== 'direct');
  const entries = entriesOf(processed);
  return [
    ...processed.flatMap((row) => examinePull(receipt.logs, row, processors)),
    ...compareSums('sent to', sentBy(receipt.logs, processors), bookedAs(entries, false)),
    ...compareSums('kept for', keptFor(receipt.logs), bookedAs(entries, true)),
    ...examineGas(receipt, entriesOf(rows), lostAtomic),
  ];
}

function examinePull(
  logs: readonly ChainLog[],
  row: BookedPaymentRow,
  processors: readonly string[],
): readonly TransactionProblem[] {
  // Stranded money came by a third party's transaction, which `checkStrandedTransfers` checks.
  if (row.strandedTransfer !== null) return [];
  const pull = liveEntries(row.entries).live.find(
    ({ accountName, amountAtomic }) => accountName === 'payer' && amountAtomic < 0n,
  );
  if (pull === undefined) return [];
  const log = logs.find(({ logIndex }) => logIndex === pull.logIndex);
  const moved = log === undefined ? undefined : transferOf(log);
  const sound =
    moved?.token === row.asset.toLowerCase() &&
    moved.from === pull.party &&
    processors.includes(moved.to) &&
    moved.amountAtomic === -pull.amountAtomic;
  if (sound) return [];
  const message = `log ${pull.logIndex} is not the token's transfer of ${-pull.amountAtomic} from its payer`;
  return [{ check: 'transfers', about: row.paymentId, message }];
}

type Sums = ReadonlyMap<string, bigint>;

function sentBy(logs: readonly ChainLog[], processors: readonly string[]): Sums {
  const moves = logs.flatMap((log) => transferOf(log) ?? []).filter(({ from }) => processors.includes(from));
  return sumUp(moves.map(({ token, to, amountAtomic }) => [`${token} ${to}`, amountAtomic]));
}

function keptFor(logs: readonly ChainLog[]): Sums {
  const kept = logs.flatMap((log) => escrowedOf(log) ?? []);
  return sumUp(kept.map(({ token, account, amountAtomic }) => [`${token} ${account}`, amountAtomic]));
}

function bookedAs(entries: readonly BookedEntry[], escrow: boolean): Sums {
  const parts = entries.filter(
    (entry) => !isNative(entry) && entry.amountAtomic > 0n && (entry.accountName === 'escrow') === escrow,
  );
  return sumUp(parts.map(({ asset, party, amountAtomic }) => [`${asset.toLowerCase()} ${party}`, amountAtomic]));
}

function sumUp(parts: readonly (readonly [key: string, amountAtomic: bigint])[]): Sums {
  const sums = new Map<string, bigint>();
  for (const [key, amountAtomic] of parts) sums.set(key, (sums.get(key) ?? 0n) + amountAtomic);
  return sums;
}

function compareSums(what: string, chain: Sums, books: Sums): readonly TransactionProblem[] {
  const keys = [...new Set([...chain.keys(), ...books.keys()])];
  return keys.flatMap((key) => {
    const [onChain, booked] = [chain.get(key) ?? 0n, books.get(key) ?? 0n];
    if (onChain === booked) return [];
    const [token = '', party = ''] = key.split(' ');
    return [
      {
        check: 'transfers',
        about: party,
        message: `${what} it on chain ${onChain} of token ${token}, in the books ${booked}`,
      } as const,
    ];
  });
}

function examineGas(
  { costAtomic }: MinedReceipt,
  entries: readonly BookedEntry[],
  lostAtomic: bigint,
): readonly TransactionProblem[] {
  const carried = entries
    .filter((entry) => isNative(entry) && entry.party === NETWORK_PARTY)
    .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  if (carried + lostAtomic === costAtomic) return [];
  const message = `its receipt says ${costAtomic}, the books ${carried + lostAtomic}, of which ${lostAtomic} settled nothing`;
  return [{ check: 'gas', about: NETWORK_PARTY, message }];
}

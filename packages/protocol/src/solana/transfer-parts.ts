// The instructions of a token transfer, sorted: what a client looks at before it has a wallet sign.
import type { Instruction } from './read-transaction.ts';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
]);
const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
const TRANSFER_CHECKED = 12;
const TRANSFER_CHECKED_BYTES = 10;
const TRANSFER_ACCOUNTS = 4;
const SET_UNITS = 2;
const SET_PRICE = 3;

export type TransferParts = { readonly memos: readonly Instruction[]; readonly transfers: readonly Instruction[] };

/** Memos and instructions of token programs. Undefined where there is anything else but a compute budget. */
export function transferParts(all: readonly Instruction[]): TransferParts | undefined {
  const memos = all.filter(({ program }) => MEMO_PROGRAMS.has(program));
  const transfers = all.filter(({ program }) => TOKEN_PROGRAMS.has(program));
  const isWhole = memos.length + transfers.length + all.filter(isBudget).length === all.length;
  return isWhole ? { memos, transfers } : undefined;
}

export type CheckedTransfer = {
  readonly source: string;
  readonly mint: string;
  readonly destination: string;
  readonly authority: string;
  /** Accounts that it names and does not use. */
  readonly references: readonly string[];
  readonly amountAtomic: bigint;
};

/** Undefined for an instruction that is no checked transfer. */
export function readTransfer({ accounts, data }: Instruction): CheckedTransfer | undefined {
  if (data.length !== TRANSFER_CHECKED_BYTES || data[0] !== TRANSFER_CHECKED || accounts.length < TRANSFER_ACCOUNTS)
    return undefined;
  const [source = '', mint = '', destination = '', authority = '', ...references] = accounts;
  const amountAtomic = new DataView(data.buffer, data.byteOffset).getBigUint64(1, true);
  return { source, mint, destination, authority, references, amountAtomic };
}

/** What it offers the network is paid by the fee payer, and bounded by who signs for it. */
const isBudget = ({ program, accounts, data }: Instruction): boolean =>
  program === COMPUTE_BUDGET && accounts.length === 0 && (data[0] === SET_UNITS || data[0] === SET_PRICE);

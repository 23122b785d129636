// A prepared transaction against what was agreed, before the wallet is asked to sign it. Whoever made or changed it: it
// moves the agreed amount of the agreed token out of the payer's account, some of it to the merchant, and does nothing else.
import { bytesFromBase64, type Instruction, readTransaction, tokenAccountOf } from '@svc-pay/protocol/solana';

export type AgreedTransfer = {
  readonly payer: string;
  /** Who pays the network; undefined when nobody said. */
  readonly feePayer: string | undefined;
  readonly mint: string;
  /** Merchant, fee and splits together. */
  readonly amountAtomic: bigint;
  /** The merchant's address. */
  readonly payTo: string;
  readonly paymentIntentId: string;
};

/** The part that is not as agreed. */
export type TransactionDifference =
  | 'transaction'
  | 'feePayer'
  | 'payer'
  | 'instruction'
  | 'asset'
  | 'payTo'
  | 'amount'
  | 'intent';

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
const SET_UNITS = 2;
const SET_PRICE = 3;

export type CheckedTransaction =
  | { readonly ok: true; readonly wire: Uint8Array }
  | { readonly ok: false; readonly difference: TransactionDifference };

export function checkTransaction(transactionBase64: string, agreed: AgreedTransfer): CheckedTransaction {
  const wire = bytesFromBase64(transactionBase64);
  const transaction = wire && readTransaction(wire);
  if (wire === undefined || transaction === undefined) return { ok: false, difference: 'transaction' };
  const { signers, instructions } = transaction;
  const [feePayer, payer, ...others] = signers;
  const isPaidByOther = feePayer !== agreed.payer && (agreed.feePayer === undefined || feePayer === agreed.feePayer);
  if (!isPaidByOther) return { ok: false, difference: 'feePayer' };
  if (payer !== agreed.payer || others.length > 0) return { ok: false, difference: 'payer' };
  const difference = differenceIn(instructions, agreed);
  return difference === undefined ? { ok: true, wire } : { ok: false, difference };
}

/** Who a transaction is for; undefined when it can't be read. */
export function payerOf(transactionBase64: string): string | undefined {
  const wire = bytesFromBase64(transactionBase64);
  return wire && readTransaction(wire)?.signers[1];
}

function differenceIn(all: readonly Instruction[], agreed: AgreedTransfer): TransactionDifference | undefined {
  const memos = all.filter(({ program }) => MEMO_PROGRAMS.has(program));
  const transfers = all.filter(({ program }) => TOKEN_PROGRAMS.has(program));
  const budgets = all.filter(isBudget);
  if (memos.length + transfers.length + budgets.length !== all.length) return 'instruction';
  if (transfers.length === 0) return 'amount';
  const [memo] = memos;
  if (memos.length !== 1 || memo?.accounts.length !== 0 || textOf(memo) !== `svc:${agreed.paymentIntentId}`)
    return 'intent';
  let movedAtomic = 0n;
  let isMerchantPaid = false;
  for (const { program, accounts, data } of transfers) {
    if (data.length !== TRANSFER_CHECKED_BYTES || data[0] !== TRANSFER_CHECKED || accounts.length !== 4)
      return 'instruction';
    const [source, mint, destination, authority] = accounts;
    if (mint !== agreed.mint) return 'asset';
    const own = tokenAccountOf(agreed.payer, mint, program);
    if (authority !== agreed.payer || own === undefined || source !== own) return 'payer';
    if (destination === own) return 'payTo';
    isMerchantPaid ||= destination === tokenAccountOf(agreed.payTo, mint, program);
    movedAtomic += new DataView(data.buffer, data.byteOffset).getBigUint64(1, true);
  }
  if (!isMerchantPaid) return 'payTo';
  return movedAtomic === agreed.amountAtomic ? undefined : 'amount';
}

/** What it offers the network is paid by the fee payer, and bounded by who signs for it. */
const isBudget = ({ program, accounts, data }: Instruction): boolean =>
  program === COMPUTE_BUDGET && accounts.length === 0 && (data[0] === SET_UNITS || data[0] === SET_PRICE);

const textOf = ({ data }: Instruction): string => new TextDecoder().decode(data);

// A prepared transaction against what was agreed, before the wallet is asked to sign it. Whoever made or changed it: it
// moves the agreed amount of the agreed token out of the payer's account, some of it to the merchant, and does nothing else.
import {
  bytesFromBase64,
  type Instruction,
  readTransaction,
  readTransfer,
  tokenAccountOf,
  transferParts,
} from '@svc-pay/protocol/solana';

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
  const parts = transferParts(all);
  if (parts === undefined) return 'instruction';
  const { memos, transfers } = parts;
  if (transfers.length === 0) return 'amount';
  const [memo] = memos;
  if (memos.length !== 1 || memo?.accounts.length !== 0 || textOf(memo) !== `svc:${agreed.paymentIntentId}`)
    return 'intent';
  let movedAtomic = 0n;
  let isMerchantPaid = false;
  for (const instruction of transfers) {
    const transfer = readTransfer(instruction);
    if (transfer === undefined || transfer.references.length > 0) return 'instruction';
    const { source, mint, destination, authority, amountAtomic } = transfer;
    if (mint !== agreed.mint) return 'asset';
    const own = tokenAccountOf(agreed.payer, mint, instruction.program);
    if (authority !== agreed.payer || own === undefined || source !== own) return 'payer';
    if (destination === own) return 'payTo';
    isMerchantPaid ||= destination === tokenAccountOf(agreed.payTo, mint, instruction.program);
    movedAtomic += amountAtomic;
  }
  if (!isMerchantPaid) return 'payTo';
  return movedAtomic === agreed.amountAtomic ? undefined : 'amount';
}

const textOf = ({ data }: Instruction): string => new TextDecoder().decode(data);

// Proves that exactly this authorization brought its money to the processor without being settled. Only the token's
// logs prove that. A used nonce, a valid signature and enough surplus do not: the payer may have burned the same nonce
// with another authorization or a cancellation, and a recovery key that relied on them would pay out somebody else's
// money.
import { type Address, type Hex, isAddressEqual, pad, toEventSelector } from 'viem';

/** A log as nodes report it. The caller passes all logs of one finalized receipt, in order. */
export type ReceiptLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex };

export type DirectSubmission = {
  readonly token: Address;
  readonly processor: Address;
  readonly from: Address;
  readonly nonce: Hex;
  /** The signed value, in the token's smallest unit. */
  readonly valueAtomic: bigint;
};

const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const SETTLED = toEventSelector('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)');

/**
 * True only if the receipt shows `AuthorizationUsed(from, nonce)`, the token's next log is the transfer of exactly the
 * signed value from the payer to the processor, and the next log is not the processor's settlement. The caller
 * guarantees that the receipt is finalized and that the money was not settled or returned before.
 */
export function provesStranding(logs: readonly ReceiptLog[], submission: DirectSubmission): boolean {
  const used = logs.findIndex((log) => isUse(log, submission));
  if (used === -1) return false;
  const transferAt = logs.findIndex((log, index) => index > used && isAddressEqual(log.address, submission.token));
  const transfer = logs[transferAt];
  if (transfer === undefined || !isTransfer(transfer, submission)) return false;
  const next = logs[transferAt + 1];
  return next === undefined || !isSettlement(next, submission);
}

function isUse(log: ReceiptLog, { token, from, nonce }: DirectSubmission): boolean {
  return (
    isAddressEqual(log.address, token) && sameWords(log.topics, [USED, pad(from), nonce]) && log.topics.length === 3
  );
}

function isTransfer(log: ReceiptLog, { from, processor, valueAtomic }: DirectSubmission): boolean {
  return sameWords(log.topics, [TRANSFER, pad(from), pad(processor)]) && BigInt(log.data) === valueAtomic;
}

function isSettlement(log: ReceiptLog, { processor }: DirectSubmission): boolean {
  return isAddressEqual(log.address, processor) && log.topics[0] === SETTLED;
}

function sameWords(actual: readonly Hex[], expected: readonly Hex[]): boolean {
  return expected.every((word, index) => actual[index]?.toLowerCase() === word.toLowerCase());
}

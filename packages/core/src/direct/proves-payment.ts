import type { TransferLog } from '../reader/money-log.ts';
import { sameAddress } from '../token/address.ts';

/** What the payer signed, as far as the token's logs show it. */
export type SignedTransferTerms = {
  readonly payer: string;
  readonly wallet: string;
  readonly amountAtomic: bigint;
};

/**
 * A use of an authorization is the payment only if the token's very next log is the transfer of exactly the signed value
 * from the payer to the wallet. A token that keeps a fee logs another value, and is no evidence.
 */
export function provesPayment(
  { payer, wallet, amountAtomic }: SignedTransferTerms,
  transfer: TransferLog | undefined,
): boolean {
  return (
    transfer !== undefined &&
    sameAddress(transfer.from, payer) &&
    sameAddress(transfer.to, wallet) &&
    transfer.valueAtomic === amountAtomic
  );
}

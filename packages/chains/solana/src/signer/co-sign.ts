// Adds the relayer's signature to a verified transaction. Anybody who sees the signed bytes can send them, so they are
// stored before any node sees them.
import type { Address, SignatureBytes } from '@solana/kit';
import { base58Of } from '../bytes/base58.ts';
import { writeTransaction } from '../bytes/write-transaction.ts';
import type { VerifiedTransaction } from '../verify/verify-signed.ts';
import type { RelayerSigner } from './relayer-signer.ts';

export type CoSigned = {
  /** The relayer's signature in base58, which is the transaction's id on chain. */
  readonly transactionId: string;
  readonly wire: Uint8Array;
};

export async function coSign(
  { transaction }: Pick<VerifiedTransaction, 'transaction'>,
  relayer: RelayerSigner,
): Promise<CoSigned> {
  const feePayer = relayer.address as Address;
  const [named] = Object.keys(transaction.signatures);
  if (named !== feePayer) throw new Error(`relayer ${feePayer} can't sign: the fee payer is ${named}`);
  const own = await relayer.signMessage(Uint8Array.from(transaction.messageBytes));
  const signatures = { ...transaction.signatures, [feePayer]: own as SignatureBytes };
  return {
    transactionId: base58Of(own),
    wire: writeTransaction({ ...transaction, signatures }),
  };
}

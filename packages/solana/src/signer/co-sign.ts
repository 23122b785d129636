// The relayer's name under a transaction that was verified. From here on anybody who sees the bytes can send them: they
// are stored before that.
import { type Address, getBase58Decoder, getTransactionEncoder, type SignatureBytes } from '@solana/kit';
import type { VerifiedTransaction } from '../verify/verify-signed.ts';
import type { RelayerSigner } from './relayer-signer.ts';

export type CoSigned = {
  /** What the chain knows it by: the relayer's signature in base58. */
  readonly transactionId: string;
  readonly wire: Uint8Array;
};

export async function coSign({ transaction }: VerifiedTransaction, relayer: RelayerSigner): Promise<CoSigned> {
  const feePayer = relayer.address as Address;
  const [named] = Object.keys(transaction.signatures);
  if (named !== feePayer) throw new Error('another relayer pays for this one');
  const own = await relayer.signMessage(Uint8Array.from(transaction.messageBytes));
  const signatures = { ...transaction.signatures, [feePayer]: own as SignatureBytes };
  return {
    transactionId: getBase58Decoder().decode(own),
    wire: Uint8Array.from(getTransactionEncoder().encode({ ...transaction, signatures })),
  };
}

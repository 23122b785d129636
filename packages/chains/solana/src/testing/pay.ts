// A payment from the prepared transaction to the bytes for the chain, as the service does it.
import type { KeyPairSigner } from '@solana/kit';
import { prepareOnChain } from '../prepare/prepare-on-chain.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { type CoSigned, coSign } from '../signer/co-sign.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import type { PreparedTransfer, TransferTerms } from '../transfer/transfer-terms.ts';
import type { Agreed } from '../verify/verify-signed.ts';
import { verifySigned } from '../verify/verify-signed.ts';
import { signAsWallet } from './actors.ts';

export const agreedOn = ({ terms, lifetime, messageHash }: PreparedTransfer): Agreed => ({
  terms,
  blockhash: lifetime.blockhash,
  messageHash,
});

export type Paying = CoSigned & { readonly prepared: PreparedTransfer };

export async function signPayment(
  node: SolanaNode,
  terms: TransferTerms,
  { payer, relayer }: { readonly payer: KeyPairSigner; readonly relayer: RelayerSigner },
): Promise<Paying> {
  // Of a copy nothing is remembered: tests move the chain on by hand.
  const made = await prepareOnChain([{ ...node }], terms);
  if (!made.ok) throw new Error(`not prepared: ${made.code}`);
  const { prepared } = made;
  const verified = await verifySigned(await signAsWallet(prepared.wire, payer), agreedOn(prepared));
  if (!verified.ok) throw new Error(`not verified: ${verified.flaw}`);
  return { prepared, ...(await coSign(verified, relayer)) };
}

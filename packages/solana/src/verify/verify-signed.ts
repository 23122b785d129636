// Whether the relayer may put its name under what a wallet signed. By the bytes alone: no chain is asked.
import {
  type Address,
  getPublicKeyFromAddress,
  type SignatureBytes,
  type Transaction,
  verifySignature,
} from '@solana/kit';
import { hashOf } from '../transfer/prepare-transfer.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';
import { flawIn } from './match-instructions.ts';
import { readTransaction } from './read-transaction.ts';
import { refuse, type TransactionRefusal } from './refusal.ts';

export type VerifiedTransaction = {
  readonly ok: true;
  readonly transaction: Transaction;
  /** The message is, byte for byte, the one that was prepared. */
  readonly untouched: boolean;
  readonly blockhash: string;
};

/** What a signed transaction is held against. */
export type Agreed = {
  readonly terms: TransferTerms;
  /** Null when the client was free to take one: then the chain must be asked whether it is a live one. */
  readonly blockhash: string | null;
  /** Null when nothing was prepared for this payer. */
  readonly messageHash: string | null;
};

export async function verifySigned(base64: string, agreed: Agreed): Promise<VerifiedTransaction | TransactionRefusal> {
  const read = readTransaction(base64);
  if (!read.ok) return read;
  const { transaction, message } = read;
  const { terms } = agreed;
  const [feePayer, payer, ...others] = Object.keys(transaction.signatures);
  if (feePayer !== terms.relayer) return refuse('fee_payer');
  if (others.length > 0) return refuse('extra_signer');
  if (payer !== terms.payer) return refuse('payer');
  const untouched = hashOf(transaction.messageBytes) === agreed.messageHash;
  if (!untouched) {
    // Another one would live longer than was agreed, or for ever: a durable nonce stands in the same place.
    if (agreed.blockhash !== null && message.lifetimeToken !== agreed.blockhash) return refuse('lifetime');
    const flaw = await flawIn(message, terms);
    if (flaw !== undefined) return refuse(flaw);
  }
  const signed = await isSignedBy(terms.payer as Address, transaction);
  return signed ? { ok: true, transaction, untouched, blockhash: message.lifetimeToken } : refuse('signature');
}

export type SentTransaction = {
  readonly feePayer: string;
  readonly payer: string;
  readonly blockhash: string;
  /** SHA-256 of the message, hex. */
  readonly messageHash: string;
};

/** What a transaction says of itself, before anything is believed; undefined where that is not all there. */
export function sentIn(base64: string): SentTransaction | undefined {
  const read = readTransaction(base64);
  if (!read.ok) return undefined;
  const { transaction, message } = read;
  const [feePayer, payer] = Object.keys(transaction.signatures);
  if (feePayer === undefined || payer === undefined) return undefined;
  return { feePayer, payer, blockhash: message.lifetimeToken, messageHash: hashOf(transaction.messageBytes) };
}

async function isSignedBy(payer: Address, { signatures, messageBytes }: Transaction): Promise<boolean> {
  const given: SignatureBytes | null | undefined = signatures[payer];
  if (given === null || given === undefined) return false;
  return verifySignature(await getPublicKeyFromAddress(payer), given, messageBytes);
}

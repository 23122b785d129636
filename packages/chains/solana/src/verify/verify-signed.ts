// Decides from the bytes alone, without the chain, whether the relayer may sign a transaction that a wallet signed.
import type { Address, Transaction } from '@solana/kit';
import { isSignedBy } from '../bytes/is-signed-by.ts';
import { hashOf } from '../transfer/prepare-transfer.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';
import { flawIn } from './match-instructions.ts';
import { readTransaction } from './read-transaction.ts';
import { refuse, type TransactionRefusal } from './refusal.ts';

export type VerifiedTransaction = {
  readonly ok: true;
  readonly transaction: Transaction;
  /** The message is byte for byte the prepared one. */
  readonly untouched: boolean;
  readonly blockhash: string;
};

/** The agreed terms with which a signed transaction is compared. */
export type Agreed = {
  readonly terms: TransferTerms;
  /** Null when the client may choose a blockhash: then the chain must be asked whether it is live. */
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
  // A wallet that pays itself moves nothing.
  if (payer !== terms.payer || terms.legs.some(({ owner }) => owner === payer)) return refuse('payer');
  const untouched = hashOf(transaction.messageBytes) === agreed.messageHash;
  if (!untouched) {
    // Another blockhash would live longer than agreed, and a durable nonce, which is in the same field, for ever.
    if (agreed.blockhash !== null && message.lifetimeToken !== agreed.blockhash) return refuse('lifetime');
    const flaw = await flawIn(message, terms);
    if (flaw !== undefined) return refuse(flaw);
  }
  const given = transaction.signatures[terms.payer as Address];
  const isSigned = given && isSignedBy(terms.payer, Uint8Array.from(given), Uint8Array.from(transaction.messageBytes));
  return isSigned ? { ok: true, transaction, untouched, blockhash: message.lifetimeToken } : refuse('signature');
}

export type SignedTransactionFacts = {
  readonly feePayer: string;
  readonly payer: string;
  readonly blockhash: string;
  /** SHA-256 of the message, hex. */
  readonly messageHash: string;
};

/** Unverified fields of a transaction; undefined when some are missing. */
export function submittedIn(base64: string): SignedTransactionFacts | undefined {
  const read = readTransaction(base64);
  if (!read.ok) return undefined;
  const { transaction, message } = read;
  const [feePayer, payer] = Object.keys(transaction.signatures);
  if (feePayer === undefined || payer === undefined) return undefined;
  return { feePayer, payer, blockhash: message.lifetimeToken, messageHash: hashOf(transaction.messageBytes) };
}

// Parses a client's signed transaction. Only one encoding of a transaction is accepted.
import {
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Transaction,
} from '@solana/kit';
import { MAX_WIRE_BYTES } from '../transfer/prepare-transfer.ts';
import { refuse, type TransactionRefusal } from './refusal.ts';

export type MessageV0 = Extract<CompiledTransactionMessage, { readonly version: 0 }> & {
  /** Base58 of the blockhash, or of a nonce's value. */
  readonly lifetimeToken: string;
};

export type TransactionReading =
  | { readonly ok: true; readonly transaction: Transaction; readonly message: MessageV0 }
  | TransactionRefusal;

/** Cache: one request parses the same text several times, and parsing takes most of a millisecond. */
const lately = new Map<string, TransactionReading>();
const MOST_KEPT = 500;

export function readTransaction(base64: string): TransactionReading {
  const known = lately.get(base64);
  if (known !== undefined) return known;
  const read = readAnew(base64);
  if (!read.ok) return read;
  const [oldest] = lately.keys();
  if (lately.size >= MOST_KEPT && oldest !== undefined) lately.delete(oldest);
  lately.set(base64, read);
  return read;
}

function readAnew(base64: string): TransactionReading {
  const wire = Buffer.from(base64, 'base64');
  if (wire.toString('base64') !== base64) return refuse('base64');
  if (wire.length > MAX_WIRE_BYTES) return refuse('size');
  const decoded = decode(wire);
  if (decoded === undefined) return refuse('undecodable');
  const { transaction, message } = decoded;
  if (!wire.equals(Uint8Array.from(getTransactionEncoder().encode(transaction)))) return refuse('undecodable');
  // Bytes after the message would be signed with it and have no meaning.
  const meant = getCompiledTransactionMessageEncoder().encode(message);
  if (meant.length !== transaction.messageBytes.length) return refuse('trailing_bytes');
  if (message.version !== 0) return refuse('version');
  if ((message.addressTableLookups ?? []).length > 0) return refuse('lookup_tables');
  return { ok: true, transaction, message };
}

type Decoded = {
  readonly transaction: Transaction;
  readonly message: CompiledTransactionMessage & { readonly lifetimeToken: string };
};

function decode(wire: Uint8Array): Decoded | undefined {
  try {
    const transaction = getTransactionDecoder().decode(wire);
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    return { transaction, message };
  } catch {
    return undefined;
  }
}

/** The encoding that `readTransaction` accepts. */
export const base64Of = (wire: Uint8Array) => Buffer.from(wire).toString('base64');

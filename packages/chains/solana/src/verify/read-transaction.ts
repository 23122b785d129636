// Parses a client's signed transaction. Only one encoding of a transaction is accepted.
import type {
  Address,
  CompiledTransactionMessage,
  ReadonlyUint8Array,
  SignatureBytes,
  Transaction,
  TransactionMessageBytes,
} from '@solana/kit';
import { base58Of } from '../bytes/base58.ts';
import { WireCursor } from '../bytes/wire-cursor.ts';
import { MAX_WIRE_BYTES } from '../transfer/prepare-transfer.ts';
import { refuse, type TransactionRefusal } from './refusal.ts';

export type MessageV0 = Extract<CompiledTransactionMessage, { readonly version: 0 }> & {
  /** Base58 of the blockhash, or of a nonce's value. */
  readonly lifetimeToken: string;
};

export type TransactionReading =
  | { readonly ok: true; readonly transaction: Transaction; readonly message: MessageV0 }
  | TransactionRefusal;

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_0 = 0x80;

/** Cache: one request parses the same text several times. */
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
  try {
    return readWire(Uint8Array.from(wire));
  } catch (problem) {
    if (problem instanceof RangeError) return refuse('undecodable');
    throw problem;
  }
}

/** By hand: the library reads a transaction through big integers and tells another spelling only by writing it again. */
function readWire(wire: Uint8Array): TransactionReading {
  const signed = new WireCursor(wire);
  const places = signed.many(() => signed.bytes(SIGNATURE_BYTES));
  const messageBytes = signed.rest();
  const cursor = new WireCursor(messageBytes);
  if (cursor.byte() !== VERSION_0) return refuse('version');
  const header = {
    numSignerAccounts: cursor.byte(),
    numReadonlySignerAccounts: cursor.byte(),
    numReadonlyNonSignerAccounts: cursor.byte(),
  };
  const staticAccounts = cursor.many(() => base58Of(cursor.bytes(KEY_BYTES)) as Address);
  const lifetimeToken = base58Of(cursor.bytes(KEY_BYTES));
  const instructions = cursor.many(() => ({
    programAddressIndex: cursor.byte(),
    accountIndices: [...cursor.bytes(cursor.length())],
    data: cursor.bytes(cursor.length()),
  }));
  if (cursor.length() > 0) return refuse('lookup_tables');
  // Bytes after the message would be signed with it and have no meaning.
  if (!cursor.isAtEnd()) return refuse('trailing_bytes');
  const signers = staticAccounts.slice(0, header.numSignerAccounts);
  const isWhole = signers.length === header.numSignerAccounts && new Set(signers).size === places.length;
  if (!isWhole || signers.length !== places.length) return refuse('undecodable');
  const signatures = signers.map((signer, place) => [signer, signatureIn(places[place])] as const);
  const transaction = {
    messageBytes: messageBytes as ReadonlyUint8Array as TransactionMessageBytes,
    signatures: Object.fromEntries(signatures),
  };
  return { ok: true, transaction, message: { version: 0, header, staticAccounts, lifetimeToken, instructions } };
}

/** Null for zeros, which stand for a signature that is missing. */
function signatureIn(place: Uint8Array | undefined): SignatureBytes | null {
  return place === undefined || place.every((byte) => byte === 0) ? null : (place as SignatureBytes);
}

/** The encoding that `readTransaction` accepts. */
export const base64Of = (wire: Uint8Array) => Buffer.from(wire).toString('base64');

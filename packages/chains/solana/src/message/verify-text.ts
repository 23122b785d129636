// Reads a signature in the encodings that clients use, and verifies it as the payer's over the text of these terms.
import {
  type Address,
  getBase58Encoder,
  getPublicKeyFromAddress,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import type { MessageTerms } from './message-terms.ts';
import { messageText } from './message-text.ts';

const SIGNATURE_BYTES = 64;

/** 0x-hex, base58 or base64 of 64 bytes. A text that is valid in two alphabets gives both readings. */
export function signaturesIn(text: string): readonly Uint8Array[] {
  const hex = /^0x[0-9a-fA-F]{128}$/.test(text) ? Buffer.from(text.slice(2), 'hex') : undefined;
  const base64 = /^[0-9A-Za-z+/_-]{86}(?:==)?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  const read = [hex, fromBase58(text), base64].filter((bytes) => bytes?.length === SIGNATURE_BYTES);
  return read.map((bytes) => Uint8Array.from(bytes ?? []));
}

function fromBase58(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(getBase58Encoder().encode(text));
  } catch {
    return undefined;
  }
}

/** Returns the text if the payer signed it. Does not ask the chain. */
export async function verifyText(terms: MessageTerms, signature: Uint8Array): Promise<string | undefined> {
  if (signature.length !== SIGNATURE_BYTES) return undefined;
  const text = await messageText(terms);
  const key = await getPublicKeyFromAddress(terms.payer as Address);
  const signed = await verifySignature(key, signature as SignatureBytes, new TextEncoder().encode(text));
  return signed ? text : undefined;
}

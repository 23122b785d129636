// Reads a signature in the encodings that clients use, and verifies it as the payer's over the text of these terms.
import { bytesOfBase58 } from '../bytes/base58.ts';
import { isSignedBy } from '../bytes/is-signed-by.ts';
import type { MessageTerms } from './message-terms.ts';
import { messageText } from './message-text.ts';

const SIGNATURE_BYTES = 64;
/** Characters of so many bytes. */
const MOST_BASE58 = 88;

/** 0x-hex, base58 or base64 of 64 bytes. A text that is valid in two alphabets gives both readings. */
export function signaturesIn(text: string): readonly Uint8Array[] {
  const hex = /^0x[0-9a-fA-F]{128}$/.test(text) ? Buffer.from(text.slice(2), 'hex') : undefined;
  const base64 = /^[0-9A-Za-z+/_-]{86}(?:==)?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  const base58 = text.length <= MOST_BASE58 ? bytesOfBase58(text) : undefined;
  const read = [hex, base58, base64].filter((bytes) => bytes?.length === SIGNATURE_BYTES);
  return read.map((bytes) => Uint8Array.from(bytes ?? []));
}

/** Returns the text if the payer signed it. Does not ask the chain. */
export async function verifyText(terms: MessageTerms, signature: Uint8Array): Promise<string | undefined> {
  if (signature.length !== SIGNATURE_BYTES) return undefined;
  const text = await messageText(terms);
  return isSignedBy(terms.payer, signature, new TextEncoder().encode(text)) ? text : undefined;
}

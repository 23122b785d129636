// `X-SVC-Signature: t=<unix seconds>,v1=<64 hex>`. The sender writes exactly one `v1`; a receiver accepts up to eight,
// so that a later release may sign with two keys, and skips unknown names.

export const SIGNATURE_HEADER = 'x-svc-signature';
export const TIMESTAMP_HEADER = 'x-svc-timestamp';

const MAX_HEADER_CHARACTERS = 2_048;
const MAX_CANDIDATES = 8;

export type SignatureHeader = { readonly timestampText: string; readonly candidates: readonly string[] };

/** Undefined unless the text has exactly one `t` and one to eight well-formed `v1`. */
export function parseSignatureHeader(text: string): SignatureHeader | undefined {
  if (text.length > MAX_HEADER_CHARACTERS) return undefined;
  let timestampText: string | undefined;
  const candidates: string[] = [];
  for (const item of text.split(',')) {
    const equals = item.indexOf('=');
    const name = item.slice(0, equals);
    const value = item.slice(equals + 1);
    if (equals <= 0) return undefined;
    if (name === 't') {
      if (timestampText !== undefined || !/^\d{1,12}$/.test(value)) return undefined;
      timestampText = value;
    } else if (name === 'v1') {
      if (!/^[0-9a-f]{64}$/.test(value) || candidates.length === MAX_CANDIDATES) return undefined;
      candidates.push(value);
    } else if (!/^[a-z0-9]+$/.test(name)) {
      return undefined;
    }
  }
  return timestampText === undefined || candidates.length === 0 ? undefined : { timestampText, candidates };
}

export function formatSignatureHeader(timestampSeconds: number, signatureHex: string): string {
  return `t=${timestampSeconds},v1=${signatureHex}`;
}

// Reads whom an operator means: the form of the text says its kind.
import { ADDRESS_HASH, type DeniedKind, parseAccount, readClientRange } from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import { readEvmAddress, readSolanaAddress } from './read-address.ts';

export type ReadDenied =
  | { readonly ok: true; readonly kind: DeniedKind; readonly value: string }
  /** Does not repeat the text: it may be a key pasted by mistake. */
  | { readonly ok: false; readonly message: string };

const FORMS =
  'Name an address or a range (203.0.113.7, 203.0.113.0/24, 2001:db8::/48), an address hash of a log line (16 ' +
  'hexadecimal digits), a payer (0x…, base58, or a principal or ICRC-1 account) or the id of an API key (key_…).';

export function readDenied(text: string): ReadDenied {
  if (/^[ps]k_/.test(text)) {
    return { ok: false, message: 'This is an API key, not its id. Name the id, which begins with key_.' };
  }
  if (isId('key', text)) return { ok: true, kind: 'key', value: text };
  if (ADDRESS_HASH.test(text)) return { ok: true, kind: 'address_hash', value: text };
  if (text.startsWith('0x')) {
    const payer = readEvmAddress(text);
    return payer.ok
      ? { ok: true, kind: 'payer', value: payer.address }
      : { ok: false, message: `A payer: ${payer.message}.` };
  }
  const range = readClientRange(text);
  if (range.ok) return { ok: true, kind: 'address', value: range.text };
  if (range.code === 'too_wide') {
    return {
      ok: false,
      message: 'This range is too wide: at most a /8 of IPv4 or a /16 of IPv6 can be denied at once.',
    };
  }
  const account = parseAccount(text);
  if (account !== undefined) return { ok: true, kind: 'payer', value: account.owner };
  const payer = readSolanaAddress(text);
  return payer.ok ? { ok: true, kind: 'payer', value: payer.address } : { ok: false, message: FORMS };
}

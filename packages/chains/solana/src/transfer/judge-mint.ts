// Decides whether a mint's tokens are fit for payments: the full amount arrives, no third party must consent, and
// nobody can take it back.
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM } from './programs.ts';

export type JudgedMint =
  | { readonly ok: true; readonly tokenProgram: string; readonly decimals: number }
  | { readonly ok: false; readonly code: MintRefusal };

export type MintRefusal = 'not_a_mint' | 'transfer_fee' | 'transfer_hook' | 'permanent_delegate' | 'extension_unknown';

const MINT_BYTES = 82;
const DECIMALS_AT = 44;
const INITIALIZED_AT = 45;
/** A Token-2022 mint is padded to a token account's length; the account type and the extensions follow. */
const KIND_AT = 165;
const IS_MINT = 1;

const REFUSED: Readonly<Record<number, MintRefusal>> = {
  1: 'transfer_fee',
  12: 'permanent_delegate',
  14: 'transfer_hook',
};
/** Close authority, confidential transfers, pointers, metadata and groups: none of them affects a plain transfer. */
const HARMLESS = new Set([3, 4, 18, 19, 20, 21, 22, 23]);

export function judgeMint(account: { readonly owner: string; readonly data: Uint8Array } | null): JudgedMint {
  if (account === null) return { ok: false, code: 'not_a_mint' };
  const bytes = Buffer.from(account.data);
  const { owner } = account;
  const classic = owner === TOKEN_PROGRAM_ADDRESS && bytes.length === MINT_BYTES;
  const newer =
    owner === TOKEN_2022_PROGRAM &&
    (bytes.length === MINT_BYTES || (bytes.length > KIND_AT && bytes[KIND_AT] === IS_MINT));
  if ((!classic && !newer) || bytes[INITIALIZED_AT] !== 1) return { ok: false, code: 'not_a_mint' };
  const problem = extensionsOf(bytes)
    .map(problemWith)
    .find((code) => code !== undefined);
  if (problem !== undefined) return { ok: false, code: problem };
  return { ok: true, tokenProgram: owner, decimals: bytes.readUInt8(DECIMALS_AT) };
}

function problemWith(kind: number): MintRefusal | undefined {
  return HARMLESS.has(kind) ? undefined : (REFUSED[kind] ?? 'extension_unknown');
}

/** Types of the extensions, each stored as type, length and data. A truncated extension counts as unknown. */
function extensionsOf(bytes: Buffer): readonly number[] {
  const kinds: number[] = [];
  let at = KIND_AT + 1;
  while (at + 4 <= bytes.length) {
    const kind = bytes.readUInt16LE(at);
    // Padding.
    if (kind === 0) break;
    kinds.push(kind);
    at += 4 + bytes.readUInt16LE(at + 2);
  }
  return at > bytes.length && bytes.length > MINT_BYTES ? [...kinds, -1] : kinds;
}

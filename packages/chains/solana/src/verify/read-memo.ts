// The memo of a transaction that was signed for a seller's requirements, before we had an intent.
import type { ForeignMemo } from '@svc-pay/core';
import { REFUND_MEMO_PREFIX } from '@svc-pay/protocol/solana';
import { MEMO_PROGRAM, NEWER_MEMO_PROGRAM } from '../transfer/programs.ts';
import { MEMO_PREFIX } from '../transfer/transfer-terms.ts';
import type { MessageV0 } from './read-transaction.ts';

/** As many as a stock client signs. */
const MAX_BYTES = 256;
const CONTROL_CHARACTER = /\p{Cc}/u;
const OWN_PREFIXES = [MEMO_PREFIX, REFUND_MEMO_PREFIX];

/**
 * Null for a transaction without a memo, undefined where it may not have the one it has: another than the seller requires,
 * one that names an intent or a refund of ours, and one that is no plain text.
 */
export function readForeignMemo(message: MessageV0, { required }: ForeignMemo): string | null | undefined {
  const [data, ...others] = memosIn(message);
  if (others.length > 0) return undefined;
  const memo = data === undefined ? null : textOf(data);
  if (memo === undefined || (required !== null && memo !== required)) return undefined;
  return OWN_PREFIXES.some((prefix) => memo?.startsWith(prefix)) ? undefined : memo;
}

export function memosIn({ staticAccounts, instructions }: MessageV0): readonly Uint8Array[] {
  const programs: readonly (string | undefined)[] = [MEMO_PROGRAM, NEWER_MEMO_PROGRAM];
  return instructions
    .filter(({ programAddressIndex }) => programs.includes(staticAccounts[programAddressIndex]))
    .map(({ data = new Uint8Array() }) => Uint8Array.from(data));
}

function textOf(data: Uint8Array): string | undefined {
  if (data.length === 0 || data.length > MAX_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    return CONTROL_CHARACTER.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

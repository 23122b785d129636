// An amount with its token. Amounts of two tokens can't be added: the compiler refuses it where it knows the ids, and a
// check refuses it at run time.

import { type AtomicAmount, addAtomic, atomicAmount, MAX_ATOMIC, subtractAtomic } from './atomic-amount.ts';
import type { Branded } from './brand.ts';
import { type DecimalRefusal, parseDecimal, printDecimal } from './decimal.ts';

export const MAX_TOKEN_DECIMALS = 36;

export type Token<Id extends string = string> = Branded<{ readonly id: Id; readonly decimals: number }, 'Token'>;

/** `decimals` is 0 to 36: one whole token is 10^`decimals` smallest units. */
export function token<const Id extends string>(id: Id, decimals: number): Token<Id> {
  if (id === '') throw new RangeError('a token has an id');
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MAX_TOKEN_DECIMALS) {
    throw new RangeError(`token ${id}: decimals are an integer between 0 and ${MAX_TOKEN_DECIMALS}`);
  }
  return Object.freeze({ id, decimals }) as Token<Id>;
}

/** Smallest units of one whole token. */
export function oneWhole(token: Token): bigint {
  return 10n ** BigInt(token.decimals);
}

/** Throws unless both are the same token, by id and decimals. */
export function assertSameToken(a: Token, b: Token): void {
  if (a.id === b.id && a.decimals === b.decimals) return;
  throw new TypeError(`different tokens: ${a.id} (${a.decimals} decimals) and ${b.id} (${b.decimals} decimals)`);
}

export type TokenAmount<Id extends string = string> = { readonly token: Token<Id>; readonly atomic: AtomicAmount };

/** Throws when `atomic` is no atomic amount. */
export function tokenAmount<Id extends string>(token: Token<Id>, atomic: bigint): TokenAmount<Id> {
  return { token, atomic: atomicAmount(atomic) };
}

export function addTokens<Id extends string>(a: TokenAmount<Id>, b: TokenAmount<NoInfer<Id>>): TokenAmount<Id> {
  assertSameToken(a.token, b.token);
  return { token: a.token, atomic: addAtomic(a.atomic, b.atomic) };
}

/** Throws when `b` is more than `a`. */
export function subtractTokens<Id extends string>(a: TokenAmount<Id>, b: TokenAmount<NoInfer<Id>>): TokenAmount<Id> {
  assertSameToken(a.token, b.token);
  return { token: a.token, atomic: subtractAtomic(a.atomic, b.atomic) };
}

/** -1, 0 or 1, as `a` is less than, equal to or more than `b`. */
export function compareTokens<Id extends string>(a: TokenAmount<Id>, b: TokenAmount<NoInfer<Id>>): -1 | 0 | 1 {
  assertSameToken(a.token, b.token);
  if (a.atomic === b.atomic) return 0;
  return a.atomic < b.atomic ? -1 : 1;
}

export type TokenAmountResult<Id extends string = string> =
  | { readonly ok: true; readonly amount: TokenAmount<Id> }
  | { readonly ok: false; readonly code: DecimalRefusal };

/** Reads whole tokens ("1.5"); refuses more decimals than the token has. Never throws. */
export function parseTokenAmount<Id extends string>(text: string, token: Token<Id>): TokenAmountResult<Id> {
  const read = parseDecimal(text, token.decimals, MAX_ATOMIC);
  return read.ok ? { ok: true, amount: tokenAmount(token, read.scaled) } : read;
}

/** Whole tokens as decimal text, without the token's name. */
export function printTokenAmount(amount: TokenAmount): string {
  return printDecimal(amount.atomic, amount.token.decimals);
}

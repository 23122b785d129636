// State of an API key, and what an operator's change of keys may do. A store holds the keys of one account and mode
// under one lock when it asks: which key signs depends on all of them.
import type { KeyKind } from './api-key.ts';

type KeyLife = { readonly expiresAtMs: number | null; readonly revoked: boolean };

export function keyStateAt({ revoked, expiresAtMs }: KeyLife, nowMs: number): 'usable' | 'expired' | 'revoked' {
  if (revoked) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'usable';
}

export type KeyToChange = KeyLife & {
  readonly id: string;
  readonly kind: KeyKind;
  readonly signing: boolean;
  /** Limited to scopes. Such a key is made to be handed on, and whoever holds the signing key can forge webhooks. */
  readonly scoped: boolean;
};

/** A new secret key signs webhooks immediately only if no other key of the account and mode does. */
export function signsAtOnce(
  { kind, scoped }: Pick<KeyToChange, 'kind' | 'scoped'>,
  signing: KeyToChange | undefined,
): boolean {
  return kind === 'secret' && !scoped && signing === undefined;
}

/** `roll_in_progress`: the previous roll is not finished, its old key still signs. */
export function judgeRoll(signing: KeyToChange | undefined): 'roll' | 'no_signing_key' | 'roll_in_progress' {
  if (signing === undefined) return 'no_signing_key';
  return signing.expiresAtMs === null ? 'roll' : 'roll_in_progress';
}

/** `key_signs`: another key must be chosen for signing before this one can be revoked, unless it shall end `now`. */
export function judgeRevocation(
  { revoked, signing }: KeyToChange,
  { now }: { readonly now: boolean },
): 'revoke' | 'revoked_before' | 'key_signs' {
  if (revoked) return 'revoked_before';
  return signing && !now ? 'key_signs' : 'revoke';
}

export function judgeSigner(
  key: KeyToChange,
  nowMs: number,
): 'sign' | 'signs_already' | 'key_not_secret' | 'key_has_scopes' | 'key_not_usable' {
  if (key.kind !== 'secret') return 'key_not_secret';
  if (key.scoped) return 'key_has_scopes';
  if (keyStateAt(key, nowMs) !== 'usable') return 'key_not_usable';
  return key.signing ? 'signs_already' : 'sign';
}

// Makes a key: its text goes to the caller and is shown once, its record goes to the store.
import { randomBytes } from 'node:crypto';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { type ApiKeyText, hintOf, type KeyKind, makeApiKey } from './api-key.ts';
import { keyIndex } from './key-index.ts';
import type { KeyScope } from './key-scope.ts';
import type { Mode } from './mode.ts';
import type { Sealer } from './sealing-key.ts';
import type { SecretContext } from './secret-context.ts';

/** Stored record of a key. Opening a secret key requires the master key. */
export type KeyRecord = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly id: Id<'key'>;
  readonly kind: KeyKind;
  readonly index: Uint8Array;
  readonly publishableText: string | null;
  readonly ciphertext: Uint8Array | null;
  readonly hint: string;
  /** Null: everything that a key of this kind may do. */
  readonly scopes: readonly KeyScope[] | null;
};

export type NewKey = { readonly text: ApiKeyText; readonly record: KeyRecord };

/** Making a key seals it and opens nothing. */
export type KeySecrets = { readonly pepper: Uint8Array; readonly box: Sealer };

export type KeyOwner = { readonly accountId: Id<'account'>; readonly mode: Mode };

export function newKey(
  { pepper, box }: KeySecrets,
  owner: KeyOwner,
  kind: KeyKind,
  nowMs: number,
  scopes: readonly KeyScope[] | null = null,
): NewKey {
  const { accountId, mode } = owner;
  const id = newId('key', nowMs);
  const text = makeApiKey(kind, mode, randomBytes);
  return {
    text,
    record: {
      accountId,
      mode,
      id,
      kind,
      index: keyIndex(pepper, text),
      publishableText: kind === 'publishable' ? text : null,
      ciphertext: kind === 'secret' ? box.seal(text, secretKeyContext(accountId, id)) : null,
      hint: hintOf(text),
      scopes,
    },
  };
}

/** Context that a secret key's ciphertext is bound to; signing opens it under the same context. */
export function secretKeyContext(accountId: string, keyId: string): SecretContext {
  return { accountId, id: keyId, purpose: 'api-key' };
}

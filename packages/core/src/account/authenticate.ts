// Authenticates the caller by a presented API key.
import type { Id } from '@svc-pay/protocol/ids';
import type { Clock } from '../clock.ts';
import { type KeyKind, parseApiKey } from './api-key.ts';
import { keyStateAt } from './key-change.ts';
import type { KeyScope } from './key-scope.ts';
import type { Mode } from './mode.ts';
import { type KeyIndexes, keyIndexes, type Peppers } from './peppers.ts';
import type { PublishableRights } from './publishable-rights.ts';

export type Caller = {
  readonly accountId: Id<'account'>;
  readonly keyId: Id<'key'>;
  readonly kind: KeyKind;
  readonly mode: Mode;
  /** Quota of each key of the account, in requests per second and class, if it is not the installation's. */
  readonly ratePerSecond?: number;
  /** The key belongs to a person's console session: what it does is audited under the person. */
  readonly ofPerson?: true;
};

export type StoredKey = Caller & {
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
  /** The account moves to another cell, or has moved there. */
  readonly away?: 'moving' | 'moved';
  /** Of a publishable key; absent for a secret key, which may do everything. */
  readonly rights?: PublishableRights | undefined;
  /** Absent: everything that a key of this kind may do. */
  readonly scopes?: readonly KeyScope[] | undefined;
};

/** Refuses requests of an account that moves to another cell. */
export type AwayCode = 'account_moving' | 'account_moved';
export const awayCode = (away: 'moving' | 'moved'): AwayCode =>
  away === 'moving' ? 'account_moving' : 'account_moved';

export type AuthenticatePorts = {
  readonly clock: Clock;
  readonly peppers: Peppers;
  /** The key with one of these indexes, of an account that is not closed; undefined when there is none. */
  readonly findKey: (indexes: KeyIndexes) => Promise<StoredKey | undefined>;
};

export type Authentication =
  | {
      readonly ok: true;
      readonly caller: Caller;
      readonly rights: PublishableRights | undefined;
      readonly scopes: readonly KeyScope[] | undefined;
    }
  | { readonly ok: false; readonly code: 'key_missing' | 'key_invalid' | AwayCode };

export async function authenticate(ports: AuthenticatePorts, presented: string | undefined): Promise<Authentication> {
  if (presented === undefined || presented === '') return { ok: false, code: 'key_missing' };
  const key = parseApiKey(presented);
  if (key === undefined) return { ok: false, code: 'key_invalid' };
  const stored = await ports.findKey(keyIndexes(ports.peppers, key.text));
  const usable =
    stored !== undefined &&
    keyStateAt(stored, ports.clock.nowMs()) === 'usable' &&
    stored.mode === key.mode &&
    stored.kind === key.kind;
  if (!usable) return { ok: false, code: 'key_invalid' };
  if (stored.away !== undefined) return { ok: false, code: awayCode(stored.away) };
  const { accountId, keyId, kind, mode, ratePerSecond, ofPerson, rights, scopes } = stored;
  const caller = {
    accountId,
    keyId,
    kind,
    mode,
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(ofPerson && { ofPerson }),
  };
  return { ok: true, caller, rights, scopes };
}

// Token of a console session: 32 bytes that change when it is rotated, and 32 that stay for the whole session. The second half is
// what API keys of the session are derived from, so that a rotation does not end the requests that are under way.
import { createHash, hkdfSync } from 'node:crypto';
import { type ApiKeyText, makeApiKey } from '../account/api-key.ts';
import type { Mode } from '../account/mode.ts';
import type { SessionKeyLevel } from './person-role.ts';

declare const sessionTokenBrand: unique symbol;
/** A secret, never logged and never stored: the database has its SHA-256. */
export type SessionToken = string & { readonly [sessionTokenBrand]: true };

/** Before the token where another service takes it as a bearer. */
export const SESSION_BEARER_PREFIX = 'svc_session_';

type DrawBytes = (length: number) => Uint8Array;

const HALF_BYTES = 32;
/** 64 bytes in base64url. */
const FORM = /^[\w-]{86}$/;

export function newSessionToken(randomBytes: DrawBytes): SessionToken {
  return Buffer.from(randomBytes(2 * HALF_BYTES)).toString('base64url') as SessionToken;
}

export function rotateSessionToken(token: SessionToken, randomBytes: DrawBytes): SessionToken {
  return Buffer.concat([randomBytes(HALF_BYTES), bytesOf(token).subarray(HALF_BYTES)]).toString(
    'base64url',
  ) as SessionToken;
}

export function readSessionToken(text: string): SessionToken | undefined {
  if (!FORM.test(text)) return undefined;
  const token = text as SessionToken;
  // One text for each token: the last character has bits that say nothing.
  return bytesOf(token).toString('base64url') === text ? token : undefined;
}

/** The token of an `Authorization: Bearer` value. */
export function readSessionBearer(bearer: string): SessionToken | undefined {
  return bearer.startsWith(SESSION_BEARER_PREFIX)
    ? readSessionToken(bearer.slice(SESSION_BEARER_PREFIX.length))
    : undefined;
}

/** By which the session is found. A plain hash is enough for 512 random bits. */
export function sessionTokenHash(token: SessionToken): Uint8Array {
  return createHash('sha256').update(bytesOf(token)).digest();
}

export type SessionKeyUse = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly level: SessionKeyLevel;
  /** The passkey check that a key of level `fresh` belongs to; a key of level `base` belongs to none. */
  readonly checkId: string;
  /** The rights of the person in the account: a key ends with them. */
  readonly rightsId: string;
};

/**
 * Text of the session's API key. Whoever has the cookie lacks `keySalt`, and whoever reads the database lacks the cookie: neither
 * can call the API around the console.
 */
export function sessionKeyText(token: SessionToken, keySalt: Uint8Array, use: SessionKeyUse): ApiKeyText {
  const { accountId, mode, level, checkId, rightsId } = use;
  const info = ['svc-console-key', accountId, mode, rightsId, level, ...(level === 'fresh' ? [checkId] : [])].join('|');
  const seed = bytesOf(token).subarray(HALF_BYTES);
  return makeApiKey('secret', mode, (length) => new Uint8Array(hkdfSync('sha256', seed, keySalt, info, length)));
}

const bytesOf = (token: SessionToken): Buffer => Buffer.from(token, 'base64url');

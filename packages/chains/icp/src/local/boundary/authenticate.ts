// Decides who sent a request, as the Internet Computer's interface says: the sender is the hash of a public key, and that
// key, or the last of a chain of keys that it vouches for, signed the request.
import { createPublicKey, verify } from 'node:crypto';
import { requestIdOf } from '@icp-sdk/core/agent';
import { Principal } from '@icp-sdk/core/principal';
import type { Envelope, SignedDelegation } from './envelope.ts';
import { domain } from './keys.ts';
import { forbidden, malformed } from './refused-request.ts';

export type Authenticated = {
  readonly sender: Uint8Array;
  readonly requestId: Uint8Array;
  /** Canisters that the signing key may act at; undefined for every one. */
  readonly targets: ReadonlySet<string> | undefined;
};

const NANOSECONDS_PER_MINUTE = 60_000_000_000n;
/** Five minutes, and one more for clocks that differ. */
const LONGEST_EXPIRY = 6n * NANOSECONDS_PER_MINUTE;
const ANONYMOUS = Uint8Array.of(4);
const CURVES = new Set(['prime256v1', 'secp256k1']);

export function authenticate(envelope: Envelope, now: bigint): Authenticated {
  const { content, publicKey, signature, delegations } = envelope;
  const requestId = requestIdOf({ ...content.hashed });
  const { sender } = content;
  const anonymous = same(sender, ANONYMOUS);
  // Who signs nothing and changes nothing may have a wrong clock: so agents learn the right time.
  if (!anonymous || content.requestType === 'call') checkExpiry(content.ingressExpiry, now);
  if (anonymous) {
    if (publicKey !== undefined || signature !== undefined || delegations.length > 0) {
      throw malformed('an anonymous request carries no signature');
    }
    return { sender, requestId, targets: undefined };
  }
  if (publicKey === undefined || signature === undefined) throw forbidden('the request is not signed');
  if (!same(sender, Principal.selfAuthenticating(publicKey).toUint8Array())) {
    throw forbidden('the sender is not the hash of its public key');
  }
  const key = delegations.reduce((signer, delegation) => checkDelegation(signer, delegation, now), publicKey);
  checkRepeats([publicKey, ...delegations.map((delegation) => delegation.publicKey)]);
  if (!signs(key, domain('ic-request'), requestId, signature)) throw forbidden('the signature does not fit');
  return { sender, requestId, targets: targetsOf(delegations) };
}

/** Whether a key with these targets may act at the canister. */
export const mayActAt = ({ targets }: Authenticated, canister: Uint8Array) =>
  targets === undefined || targets.has(Buffer.from(canister).toString('hex'));

function checkExpiry(expiry: bigint, now: bigint): void {
  if (expiry > now && expiry <= now + LONGEST_EXPIRY) return;
  // Agents know this case by its first words, and set their clock.
  throw malformed(`Invalid request expiry: ${expiry} is not between ${now} and ${now + LONGEST_EXPIRY}`);
}

function checkDelegation(signer: Uint8Array, delegation: SignedDelegation, now: bigint): Uint8Array {
  if (delegation.expiration <= now) throw forbidden('a delegation has expired');
  const signed = requestIdOf({ ...delegation.hashed });
  if (!signs(signer, domain('ic-request-auth-delegation'), signed, delegation.signature)) {
    throw forbidden('the signature of a delegation does not fit');
  }
  return delegation.publicKey;
}

function checkRepeats(keys: readonly Uint8Array[]): void {
  const distinct = new Set(keys.map((key) => Buffer.from(key).toString('hex')));
  if (distinct.size !== keys.length) throw forbidden('a key is named twice in the chain of delegations');
}

/** What every delegation of the chain allows. */
function targetsOf(delegations: readonly SignedDelegation[]): ReadonlySet<string> | undefined {
  const limited = delegations.flatMap(({ targets }) => (targets === undefined ? [] : [targets]));
  const [first, ...more] = limited.map((targets) => new Set(targets.map((one) => Buffer.from(one).toString('hex'))));
  return first && more.reduce((allowed, next) => new Set([...allowed].filter((one) => next.has(one))), first);
}

function signs(der: Uint8Array, separator: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
  const message = Buffer.concat([separator, hash]);
  const key = readKey(der);
  if (key.asymmetricKeyType === 'ed25519') return verify(null, message, key, signature);
  const { namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== 'ec' || !CURVES.has(namedCurve))
    throw forbidden('a key of this kind is not known here');
  return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

function readKey(der: Uint8Array) {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  } catch {
    throw forbidden('a public key cannot be read');
  }
}

const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

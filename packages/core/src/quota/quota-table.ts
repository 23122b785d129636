// Which quotas a request counts against. Each class of requests has buckets of its own, so that a flood of one class refuses
// nobody in another: above all, a flood of creates or reads refuses nobody who is paying.
//
// A publishable key is public, so whoever floods with it is held at its address. A key and an account have room for many
// addresses at their limit: ten use at most half of it. Where more of them use it up, addresses with few requests have a
// reserve that a thousand others do not exhaust. Requests with a secret key come from the merchant's few servers and are
// not counted by address; they have account buckets that no stranger can reach.

import type { KeyKind } from '../account/api-key.ts';
import type { Caller } from '../account/authenticate.ts';
import type { Mode } from '../account/mode.ts';
import type { Quota } from './quota.ts';

/**
 * Classes of requests. `chain_reads`: routes that ask a chain for a payer who has not signed yet, and notify. `lists`: pages of
 * payments and intents, which read hundreds of blocks. `exports`: pages of thousands of rows.
 */
export const REQUEST_CLASSES = ['creates', 'settles', 'chain_reads', 'reads', 'lists', 'writes', 'exports'] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

export type QuotaScope = 'address' | 'network' | 'key' | 'account';
export type QuotaClass = RequestClass | 'key_lookups' | 'stored_bytes';

export type QuotaBucket = {
  readonly scope: QuotaScope;
  readonly class: QuotaClass;
  readonly name: string;
  readonly quota: Quota;
};

export type QuotaLimits = {
  /** Requests of one class per second of one key. An account may have its own (`Caller.ratePerSecond`). */
  readonly perKey: Readonly<Record<Mode, number>>;
  /** Requests of one class per second of one client address. */
  readonly perAddress: number;
  /** Bytes of request bodies that create or change something, per day and account. */
  readonly storedBytesPerDay: number;
};

/** Client address as limits name it; `network` is the /48 of an IPv6 address. */
export type AddressNames = { readonly address: string; readonly network: string | undefined };

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** An account, and the /48 of an address, have this many times the quota of one key or of one address. */
const ROOM = 4;
/** One address may create this part of what a publishable key may create: ten at their limit use a fifth. */
const CREATES_PART = 1 / 50;
/** A key may ask for this part of its requests as pages of lists. */
const LISTS_PART = 1 / 5;
/** At least this many creates at once, also where a key has a small quota. */
const CREATES_AT_ONCE = 5;
/** One address may store this part of the bytes of an account. */
const STORED_PART = 1 / 16;
/** What one address may take of the reserves of a class: enough to create an intent and to pay it. */
const FEW: Quota = { size: 2, windowMs: 10_000 };
/** The reserve of an account is this many times the quota of one key: a thousand addresses at once fit into it. */
const RESERVE = 20;
/** Pages of exports of one account: 10,000 entries a second, whatever its other quotas are. */
const EXPORTS: Quota = { size: 4, windowMs: 2_000 };
const FEW_BYTES: Quota = { size: 16_384, windowMs: DAY_MS };
/** The reserve of stored bytes, as a part of what the account may store. */
const RESERVED_BYTES_PART = 1 / 4;

/** End of the names of reserves. */
const RESERVED = '/reserved';

const perSecond = (size: number): Quota => ({ size, windowMs: SECOND_MS });

function bucket(scope: QuotaScope, of: QuotaClass, owner: string, quota: Quota): QuotaBucket {
  return { scope, class: of, name: `${scope}/${of}/${owner}`, quota };
}

function perAddress(
  of: QuotaClass,
  { address, network }: AddressNames,
  quota: Quota,
  suffix = '',
): readonly QuotaBucket[] {
  const own = bucket('address', of, `${address}${suffix}`, quota);
  if (network === undefined) return [own];
  // The network first: what it refuses makes no names of the addresses in it.
  return [bucket('network', of, `${network}${suffix}`, { ...quota, size: quota.size * ROOM }), own];
}

/** Before the key is looked up, unless a secret key is shown. `mode` is what the key's text says. */
export function addressBuckets(
  limits: QuotaLimits,
  of: RequestClass,
  names: AddressNames,
  mode: Mode,
): readonly QuotaBucket[] {
  if (of !== 'creates') return perAddress(of, names, perSecond(limits.perAddress));
  const rate = Math.min(limits.perAddress, limits.perKey[mode] * CREATES_PART);
  const size = Math.min(limits.perAddress, Math.max(CREATES_AT_ONCE, Math.floor(rate)));
  return perAddress(of, names, { size, windowMs: Math.max(SECOND_MS, (size / rate) * SECOND_MS) });
}

/** Before a key that was not found valid recently is looked up: anybody can make up a key. */
export function lookupBuckets(limits: QuotaLimits, names: AddressNames): readonly QuotaBucket[] {
  return perAddress('key_lookups', names, perSecond(limits.perAddress));
}

/** After the key is accepted. */
export function callerBuckets(limits: QuotaLimits, of: RequestClass, caller: Caller): readonly QuotaBucket[] {
  if (of === 'exports') return [bucket('account', of, accountOf(caller), EXPORTS)];
  const all = caller.ratePerSecond ?? limits.perKey[caller.mode];
  const rate = of === 'lists' ? Math.max(1, Math.floor(all * LISTS_PART)) : all;
  const account = bucket('account', of, accountOf(caller), perSecond(rate * ROOM));
  // A stranger may use a publishable key for anything but to create: the quota of the key would refuse payers.
  if (caller.kind === 'publishable' && of !== 'creates') return [account];
  return [bucket('key', of, caller.keyId, perSecond(rate)), account];
}

/**
 * For a request that the quota of a public key or its account refuses: strangers may have used it up. It passes if its
 * address has sent few requests. Empty where no stranger can do so.
 */
export function reservedBuckets(
  limits: QuotaLimits,
  of: RequestClass,
  caller: Caller,
  names: AddressNames,
): readonly QuotaBucket[] {
  if (caller.kind === 'secret') return [];
  const rate = caller.ratePerSecond ?? limits.perKey[caller.mode];
  return [
    ...perAddress(of, names, FEW, RESERVED),
    bucket('account', of, `${accountOf(caller)}${RESERVED}`, perSecond(rate * RESERVE)),
  ];
}

/** For the body of a request that creates or changes something. */
export function storedByteBuckets(
  { storedBytesPerDay }: QuotaLimits,
  caller: Caller,
  names: AddressNames,
): readonly QuotaBucket[] {
  const account = bucket('account', 'stored_bytes', accountOf(caller), { size: storedBytesPerDay, windowMs: DAY_MS });
  if (caller.kind === 'secret') return [account];
  const size = Math.max(1, Math.floor(storedBytesPerDay * STORED_PART));
  return [...perAddress('stored_bytes', names, { size, windowMs: DAY_MS }), account];
}

/** The same for stored bytes. */
export function reservedByteBuckets(
  { storedBytesPerDay }: QuotaLimits,
  caller: Caller,
  names: AddressNames,
): readonly QuotaBucket[] {
  if (caller.kind === 'secret') return [];
  const size = Math.max(1, Math.floor(storedBytesPerDay * RESERVED_BYTES_PART));
  return [
    ...perAddress('stored_bytes', names, FEW_BYTES, RESERVED),
    bucket('account', 'stored_bytes', `${accountOf(caller)}${RESERVED}`, { size, windowMs: DAY_MS }),
  ];
}

/** Publishable and secret keys of an account have buckets of their own. */
function accountOf({ accountId, mode, kind }: { accountId: string; mode: Mode; kind: KeyKind }): string {
  return `${accountId}/${mode}/${kind}`;
}

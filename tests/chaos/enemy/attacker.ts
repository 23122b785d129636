// An attacker is data: a file in attackers/ that exports one value of this type. The driver loads every file there, gives
// each attacker its share of the hostile requests, its own client addresses, and counts what it was answered.
import type { Address } from 'viem';
import type { ApiAnswer, ApiRequest } from './api-client.ts';
import type { HeldStream } from './hold-stream.ts';

/** What every visitor of a shop's page knows of it. */
export type PublicShop = { readonly accountId: string; readonly publishableKey: string };

/** What an attacker knows of the installation. */
export type Ground = {
  readonly apiUrls: readonly string[];
  readonly rpcUrl: string;
  readonly token: Address;
  /** Of the usual payment, with which attackers fund their wallets. */
  readonly priceUsd: string;
  readonly priceAtomic: string;
  readonly shops: readonly PublicShop[];
  /** Accounts of the attackers' own. Their endpoints are at `slowReceiverPort`, where an attacker may listen. */
  readonly ownShops: readonly PublicShop[];
  readonly slowReceiverPort: number;
  readonly seed: number;
};

export type Ask = (request: Omit<ApiRequest, 'address'>) => Promise<ApiAnswer | undefined>;

/** A header that was sent to be settled, and how that was answered. */
export type HostileAttempt = {
  readonly intentId: string;
  readonly nonce: string;
  readonly answer: ApiAnswer | undefined;
};

/** One strike: its requests come from one client address. */
export type Blow = {
  /** How often this attacker struck before. */
  readonly index: number;
  readonly ground: Ground;
  readonly ask: Ask;
  /** Opens an event stream and holds it. */
  readonly hold: (path: string) => Promise<HeldStream>;
  /** Every header that may become a payment is noted, so that the judge can follow it. */
  readonly note: (attempt: HostileAttempt) => void;
};

export type Attacker<State> = {
  readonly name: string;
  /** Its rows in docs/security/attacks.md. */
  readonly finding: string;
  /** Requests a second, of 400 that all attackers make together; a strike may make several. */
  readonly perSecond: number;
  /** How many client addresses it has. */
  readonly addresses: number;
  /** Before the run. */
  readonly prepare: (ground: Ground, ask: Ask) => Promise<State>;
  readonly strike: (blow: Blow, state: State) => Promise<void>;
};

/** For an attacker that needs nothing. */
export const nothing = (): Promise<undefined> => Promise.resolve(undefined);

export function itemAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to take from');
  return item;
}

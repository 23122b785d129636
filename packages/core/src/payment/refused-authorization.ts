// Direct authorizations that were validly signed and refused, and payments that the chain refused. Whoever has seen such a
// signature may submit it to the token until it expires, so each is stored and watched.
import type { Authorization } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { DirectSignature } from './claim-payment.ts';

/** An intent keeps this many from wallets that could not pay when they were refused; of others it keeps all. */
export const MAX_UNFUNDED = 20;
/**
 * One authorization is kept for this many intents. It pays one of them at most, and its use locks all: somebody who submits
 * it for every intent of a shop gets no more.
 */
export const MAX_REFUSED_INTENTS = 20;

export type KeptRefused = {
  /** Refused authorizations of the intent whose wallets could not pay. */
  readonly unfundedOfIntent: number;
  /** Intents for which the authorization is kept and open. */
  readonly intentsOfClaim: number;
};

/** Whether one more is stored. */
export function hasRoomForRefused(funded: boolean, { unfundedOfIntent, intentsOfClaim }: KeptRefused): boolean {
  return intentsOfClaim < MAX_REFUSED_INTENTS && (funded || unfundedOfIntent < MAX_UNFUNDED);
}

/** The chain's time may be this far behind ours. */
const CHAIN_BEHIND_SECONDS = 60;
/** No acceptance asks for so long a signature. One that lives longer is watched only by its nonce, if that is bound. */
const LONGEST_WATCHED_SECONDS = 7 * 86_400;

/** Whether a refused authorization is stored: it can still move money, and its watch ends. */
export function isWatched({ validBefore }: Pick<Authorization, 'validBefore'>, nowMs: number): boolean {
  const left = Number(validBefore) - Math.floor(nowMs / 1_000);
  return left > -CHAIN_BEHIND_SECONDS && left <= LONGEST_WATCHED_SECONDS;
}

export type RefusedAuthorization = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly claimKey: Uint8Array;
  /** The direct acceptance that it was signed for. */
  readonly acceptance: StoredAcceptance;
  readonly authorization: Authorization;
  readonly direct: Pick<DirectSignature, 'bound' | 'atBlock'>;
  readonly code: ErrorCode;
  /** The wallet had the money when it was refused. */
  readonly funded: boolean;
  readonly nowMs: number;
};

/** `known`: it was stored for the intent before. `full`: there is no room for it. */
export type RefusedRecord = 'stored' | 'known' | 'full';

export type RecordRefused = (refused: RefusedAuthorization) => Promise<RefusedRecord>;

/**
 * Queues the direct payment of this claim again if the chain refused it. False, and nothing changes, for any other
 * payment. The caller wakes the lanes.
 */
export type QueueRefused = (
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  claimKey: Uint8Array,
  nowMs: number,
) => Promise<boolean>;

// Database port of the watchers of held payments, open authorizations and stranded transfers.
import type { Rate } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import type { LaneItem } from '../lane/lane.ts';
import type { MinedBatch } from '../lane/lane-chain.ts';
import type { AuthorizationKind } from '../payment/claim-payment.ts';
import type { Stranding } from './book-stranding.ts';
import type { StrandedAction } from './decide-stranded.ts';

export type OpenAuthorization = {
  readonly accountId: string;
  readonly mode: string;
  readonly intentId: string;
  readonly claimKey: Uint8Array;
  readonly kind: AuthorizationKind;
  readonly asset: string;
  readonly processor: string;
  readonly payer: string;
  readonly capAtomic: bigint;
  /** 0x-hex. */
  readonly nonce: string;
  readonly validBeforeSeconds: bigint;
  readonly claimedAtSeconds: bigint;
  /**
   * Payment that claimed the authorization, and the status of its settlement; both null when no payment settles it yet.
   */
  readonly paymentId: string | null;
  readonly settlement: string | null;
  /** Signed text only: the relayer that sends it, and the program that verifies it. */
  readonly relayer: string | null;
  readonly program: string | null;
};

export type AuthorizationKey = Pick<OpenAuthorization, 'accountId' | 'mode' | 'intentId' | 'claimKey'>;

/** Last position of a page: pass it to get the next one. */
export type AuthorizationCursor = Pick<OpenAuthorization, 'validBeforeSeconds' | 'claimKey'>;

/** Cursor before the first authorization. */
export const FIRST_AUTHORIZATION: AuthorizationCursor = { validBeforeSeconds: 0n, claimKey: new Uint8Array() };

/** A payment with its claim and all that proving its authorization outcome needs. */
export type ClaimedPayment = AuthorizationKey & {
  readonly item: LaneItem;
  readonly settlement: string;
  readonly claimedAtSeconds: bigint;
};

export type StrandedAuthorization = AuthorizationKey & {
  readonly network: NetworkId;
  /** The payment; null for an up-to authorization without one: then the money is held until the merchant decides. */
  readonly item: LaneItem | null;
  readonly position: Stranding;
};

/** Stranded money of an up-to intent that waits for the merchant's decision. */
export type HeldMoney = {
  /** Position in page order. */
  readonly number: bigint;
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly claimKey: Uint8Array;
  readonly intentId: Id<'paymentIntent'>;
  readonly position: Stranding;
};

export type DecidedMoney = {
  readonly intentId: string;
  readonly paymentId: string;
  readonly action: 'settle' | 'return';
};

/**
 * `in_flight`: the transaction is ours, and its lane has not recorded it as mined yet (as after a reorg that revived
 * it) or is recording it now; the payment waits. `unrecorded`: no pending or mined batch has the transaction; an
 * operator must find out who else has our key.
 */
export type HeldCompletion = 'completed' | 'in_flight' | 'unrecorded';

export type StrandedStore = {
  /** Open authorizations after the cursor that expire before `beforeSeconds`, in order of expiry. */
  readonly loadOpenAuthorizations: (
    network: NetworkId,
    after: AuthorizationCursor,
    beforeSeconds: bigint,
    limit: number,
  ) => Promise<readonly OpenAuthorization[]>;
  /** Of them those that no settlement is going to use: the payment failed or was canceled, or there is none yet. */
  readonly loadUnsettledAuthorizations: StrandedStore['loadOpenAuthorizations'];
  readonly closeAuthorizations: (over: readonly AuthorizationKey[], nowMs: number) => Promise<void>;
  /** Keyed by payment id. */
  readonly loadClaimedPayments: (
    payments: readonly Pick<OpenAuthorization, 'accountId' | 'mode' | 'paymentId'>[],
  ) => Promise<ReadonlyMap<string, ClaimedPayment>>;
  /** Held payments after that queue number whose money is not known to be stranded. */
  readonly loadHeldPayments: (
    network: NetworkId,
    afterNumber: bigint,
    limit: number,
  ) => Promise<readonly ClaimedPayment[]>;
  /** Keyed by payment id: every transaction ever signed for the payment, in its batch and in reverted batches. */
  readonly loadSignedTransactions: (
    payments: readonly ClaimedPayment[],
  ) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Keyed by payment id: the recorded transaction of each held payment that has one. */
  readonly loadHeldTransactions: (
    network: NetworkId,
    paymentIds: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
  readonly loadHeldMoney: (network: NetworkId, afterNumber: bigint, limit: number) => Promise<readonly HeldMoney[]>;
  /** One transaction. Undefined while nothing is decided: the merchant may still settle. */
  readonly decideHeldMoney: (network: NetworkId, money: HeldMoney, nowMs: number) => Promise<DecidedMoney | undefined>;
  /** One transaction. Completes a held payment from the processor's event. */
  readonly completeHeld: (
    network: NetworkId,
    payment: ClaimedPayment,
    mined: MinedBatch,
    gasCoin: Rate | undefined,
    nowMs: number,
  ) => Promise<HeldCompletion>;
  /** One transaction. Fails a held payment: its authorization is gone, and its money did not reach us. */
  readonly failHeld: (payment: ClaimedPayment, code: ErrorCode, nowMs: number) => Promise<void>;
  /** Queues held payments that nothing blocks any more, except those with a reverted batch that is not final yet. */
  readonly queueHeld: (payments: readonly ClaimedPayment[], nowMs: number) => Promise<void>;
  /**
   * One transaction. Returns the action; undefined when it was recorded before, or its payment is queued or sent again.
   */
  readonly recordStranding: (stranded: StrandedAuthorization, nowMs: number) => Promise<StrandedAction | undefined>;
};

// What is stored about an up-to intent, read in one look: confirm and settle answer from it and from nothing else.
import type { AtomicAmount } from '@svc-pay/money';
import type { IntentStatus, NetworkId } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import type { PaymentProgress } from '../settle/settlement-read.ts';

/** The authorization that an up-to intent is settled with. */
export type StoredAuthorization = {
  readonly network: NetworkId;
  readonly asset: string;
  /** The processor that the payer signed for. */
  readonly recipient: string;
  readonly cap: AtomicAmount;
  readonly validBeforeSeconds: bigint;
  /** No chain executes it any more. */
  readonly closed: boolean;
};

export type UptoRead = {
  readonly intent: Intent;
  readonly latest: PaymentProgress | null;
  /** The newest one. */
  readonly stored: StoredAuthorization | null;
  /** The header of this request carries the stored authorization. */
  readonly sentIsStored: boolean;
};

/** Seconds that must be left of the window, so that the transaction can be mined in time. */
const REQUIRED_SECONDS_LEFT = 60n;

export function isUsable({ closed, validBeforeSeconds }: StoredAuthorization, nowMs: number): boolean {
  return !closed && validBeforeSeconds >= BigInt(Math.floor(nowMs / 1_000)) + REQUIRED_SECONDS_LEFT;
}

/** No other header may take its place: it can still be settled, or it was. */
export function isBinding(
  stored: StoredAuthorization | null,
  status: IntentStatus,
  nowMs: number,
): stored is StoredAuthorization {
  return stored !== null && (status !== 'requires_payment' || isUsable(stored, nowMs));
}

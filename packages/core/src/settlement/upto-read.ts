// Stored state of an up-to intent, read in one snapshot: confirm and settle answer from it only.
import type { AtomicAmount } from '@svc-pay/money';
import type { IntentStatus, NetworkId } from '@svc-pay/protocol';
import type { PayerBudget } from '../budget/gas-budget.ts';
import type { Intent } from '../intent/intent.ts';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import type { PaymentProgress } from './settlement-read.ts';

/** The authorization that an up-to intent is settled with. */
export type StoredAuthorization = {
  readonly network: NetworkId;
  readonly asset: string;
  /** The processor that the payer signed for. */
  readonly recipient: string;
  readonly cap: AtomicAmount;
  readonly validBeforeSeconds: bigint;
  /** No chain can execute the authorization any more. */
  readonly closed: boolean;
};

export type UptoRead = {
  readonly intent: Intent;
  readonly latest: PaymentProgress | null;
  /** The newest stored authorization. */
  readonly stored: StoredAuthorization | null;
  /** The header of this request carries the stored authorization. */
  readonly submittedIsStored: boolean;
  /** Gas that payments of the header's payer lost; absent where none did. */
  readonly payerBudget?: PayerBudget;
};

/** Seconds that must be left before expiry, so that the transaction can be mined in time. */
const REQUIRED_SECONDS_LEFT = 60n;

export function isUsable({ closed, validBeforeSeconds }: StoredAuthorization, nowMs: number): boolean {
  return !closed && validBeforeSeconds >= BigInt(Math.floor(nowMs / 1_000)) + REQUIRED_SECONDS_LEFT;
}

/** No other header may replace the stored authorization: it can still be settled, or it was. */
export function isBinding(
  stored: StoredAuthorization | null,
  status: IntentStatus,
  nowMs: number,
): stored is StoredAuthorization {
  return stored !== null && (status !== INTENT_STATUS.requires_payment || isUsable(stored, nowMs));
}

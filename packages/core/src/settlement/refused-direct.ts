// What a refusal leaves to do for a direct payment. Its signature stays good until it expires, and anybody may submit it:
// one that was refused here is stored and watched, one that the chain refused is tried again when its header comes again.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { claimKey } from '../payment/claim-key.ts';
import type { VerifiedPayment } from '../payment/claim-payment.ts';
import { isWatched } from '../payment/refused-authorization.ts';
import type { HeaderContext } from './payment-family.ts';
import type { SettlePorts, SubmittedPayment } from './settle-ports.ts';
import type { SettlementRead } from './settlement-read.ts';
import { type MovablePayment, refusedPayment } from './verify-authorization.ts';

export async function recordRefused(
  ports: Pick<SettlePorts, 'clock' | 'recordRefused'>,
  { caller, intentId }: HeaderContext,
  refused: MovablePayment,
  code: ErrorCode,
): Promise<void> {
  const nowMs = ports.clock.nowMs();
  if (isWatched(refused.authorization, nowMs)) await ports.recordRefused({ ...refused, caller, intentId, code, nowMs });
}

export type UnclaimedOutcome =
  | 'claimed_before'
  | 'bound_elsewhere'
  | 'intent_taken'
  | 'intent_not_payable'
  | 'payer_over_limit';

/** A verified payment that found its intent taken, or whose payer has too much pending. One that is claimed, here or elsewhere, is watched already. */
export async function recordUnclaimed(
  ports: Pick<SettlePorts, 'clock' | 'recordRefused'>,
  context: HeaderContext,
  verified: VerifiedPayment,
  outcome: UnclaimedOutcome,
): Promise<void> {
  const refused = refusedPayment(verified, true);
  if (refused === undefined || outcome === 'claimed_before' || outcome === 'bound_elsewhere') return;
  const code = outcome === 'payer_over_limit' ? 'x402_temporarily_unavailable' : 'intent_not_payable';
  await recordRefused(ports, context, refused, code);
}

/** A verified payment that no claim is taken for. */
export async function recordUnbudgeted(
  ports: Pick<SettlePorts, 'clock' | 'recordRefused'>,
  context: HeaderContext,
  verified: VerifiedPayment,
): Promise<void> {
  const refused = refusedPayment(verified, true);
  if (refused !== undefined) await recordRefused(ports, context, refused, 'gas_budget_spent');
}

/** The chain refused the payment of this header, for an empty wallet perhaps, which may be filled by now. */
export async function queueRefused(
  ports: Pick<SettlePorts, 'clock' | 'queueRefused'>,
  { caller, intentId }: HeaderContext,
  submitted: SubmittedPayment | null,
  { own }: SettlementRead,
): Promise<void> {
  if (own?.refusal === undefined || submitted === null || 'payer' in submitted) return;
  const { from: payer, nonce: uniquePart, network } = submitted;
  const key = claimKey({ network, asset: own.payment.asset, payer, uniquePart });
  await ports.queueRefused(caller, intentId, key, ports.clock.nowMs());
}

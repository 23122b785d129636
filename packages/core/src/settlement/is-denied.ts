import { payerOf } from './read-submission.ts';
import type { SettlePorts, SubmittedPayment } from './settle-ports.ts';

/**
 * Whether a new payment is refused because of its payer. Ask only for one that is not claimed: the money of a claimed payment
 * may be moving, so it goes on.
 */
export function isDenied(
  { isPayerDenied }: Pick<SettlePorts, 'isPayerDenied'>,
  payment: SubmittedPayment | null,
): boolean {
  const payer = payerOf(payment);
  return payer !== null && isPayerDenied(payer);
}

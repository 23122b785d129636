// Shares the gas cost of a transaction among its payments. The share of an unsettled payment is a loss, see
// `gas-loss.ts`: no other payment pays for it.
import { type AtomicAmount, atomicAmount, externalCost, type Rate, tokenAmount } from '@svc-pay/money';
import type { MinedItem } from '../lane/lane-chain.ts';

/** `unknown`: it is not known which payment it was, as after a restore. `refund`: a refund that moved its money. */
export type CarriedOutcome = MinedItem['outcome'] | 'refund' | 'unknown';

/**
 * Outcomes before which the processor called the token. Such a call may use up its whole stipend of 200,000 gas; a
 * settled payment takes 50,000 or more in all. Hence the weight of five: whatever a failed call used, a settled payment
 * never bears more than it would have borne without it.
 */
const CALLED_THE_TOKEN: ReadonlySet<CarriedOutcome> = new Set([
  'authorization_used',
  'insufficient_funds',
  'pull_refused',
  'nothing_arrived',
  'no_evidence',
  'unknown',
]);

const weightOf = (outcome: CarriedOutcome) => (CALLED_THE_TOKEN.has(outcome) ? 5n : 1n);

/**
 * One share per outcome, in their order; the shares add up exactly to the total. The indivisible rest goes to the first
 * unsettled payment, or else to the first payment.
 */
export function shareGas(totalAtomic: bigint, outcomes: readonly CarriedOutcome[]): readonly bigint[] {
  if (totalAtomic < 0n) throw new RangeError('a cost is not negative');
  if (outcomes.length === 0) throw new RangeError('a cost is shared by one payment or more');
  const weights = outcomes.map(weightOf);
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  const shares = weights.map((weight) => (totalAtomic * weight) / whole);
  const rest = totalAtomic - shares.reduce((sum, share) => sum + share, 0n);
  const failed = outcomes.findIndex((outcome) => outcome !== 'settled');
  return shares.map((share, index) => (index === (failed < 0 ? 0 : failed) ? share + rest : share));
}

/**
 * A gas share in units of the payment's token, rounded up, for `payments.external_cost_amount`. Zero where the coin or
 * the token has no price: the exact cost is in the books, in the coin itself.
 */
export function externalCostAtomic(
  gasShareAtomic: bigint,
  rates: { readonly gasCoin: Rate | undefined; readonly token: Rate | undefined },
): AtomicAmount {
  const { gasCoin, token } = rates;
  if (gasCoin === undefined || token === undefined) return atomicAmount(0n);
  return externalCost(tokenAmount(gasCoin.token, gasShareAtomic), gasCoin, token).atomic;
}

// Confirmations before a payment is completed: more for more money. Decided when the payment is offered and shown on
// the intent, so that a changed policy applies to new intents only.
import {
  type AtomicAmount,
  parseUsd,
  type Rate,
  tokenAmount,
  tokenToUsdMicros,
  type Usd,
  usdToMicros,
} from '@svc-pay/money';

/** Confirmations, the transaction's own block included: one number for every amount, or steps by dollar amount. */
export type ConfirmationPolicy = number | readonly ConfirmationStep[];
type ConfirmationStep = { readonly fromUsd: string; readonly blocks: number };

type PricedAmount = { readonly rate: Rate; readonly amount: AtomicAmount };

const ONE = 1;

/** The highest number among the steps at or below the amount; 1 when there is none, or no policy. */
export function confirmationsFor(policy: ConfirmationPolicy | undefined, priced: PricedAmount): number {
  if (policy === undefined) return ONE;
  if (typeof policy === 'number') return policy;
  const worth = tokenToUsdMicros(tokenAmount(priced.rate.token, priced.amount), priced.rate, 'up');
  return policy.reduce((most, { fromUsd, blocks }) => {
    // A value too large to express reaches every step.
    const reached = !worth.ok || usdToMicros(dollars(fromUsd), 'down') <= worth.micros;
    return reached ? Math.max(most, blocks) : most;
  }, ONE);
}

function dollars(text: string): Usd {
  const read = parseUsd(text);
  if (!read.ok) throw new Error(`${text} is no amount of dollars: ${read.code}`);
  return read.usd;
}

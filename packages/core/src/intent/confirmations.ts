// How deep a block must lie before a payment in it is called completed: more for more money. Decided when the payment is
// offered and shown on the intent, so that a changed policy is for new intents only.
import {
  type AtomicAmount,
  parseUsd,
  type Rate,
  tokenAmount,
  tokenToUsdMicros,
  type Usd,
  usdToMicros,
} from '@svc-pay/money';

/** Blocks, counting the transaction's own; alike for every amount, or by steps from an amount in dollars on. */
export type ConfirmationPolicy = number | readonly ConfirmationStep[];
type ConfirmationStep = { readonly fromUsd: string; readonly blocks: number };

type PricedAmount = { readonly rate: Rate; readonly amount: AtomicAmount };

const ONE = 1;

/** The most that any step at or below the amount asks for; 1 when none does, or nobody said anything. */
export function confirmationsFor(policy: ConfirmationPolicy | undefined, priced: PricedAmount): number {
  if (policy === undefined) return ONE;
  if (typeof policy === 'number') return policy;
  const worth = tokenToUsdMicros(tokenAmount(priced.rate.token, priced.amount), priced.rate, 'up');
  return policy.reduce((most, { fromUsd, blocks }) => {
    // Worth more than can be said is worth every step.
    const reached = !worth.ok || usdToMicros(dollars(fromUsd), 'down') <= worth.micros;
    return reached ? Math.max(most, blocks) : most;
  }, ONE);
}

function dollars(text: string): Usd {
  const read = parseUsd(text);
  if (!read.ok) throw new Error(`${text} is no amount of dollars: ${read.code}`);
  return read.usd;
}

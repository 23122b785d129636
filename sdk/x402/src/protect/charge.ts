// What a handler reports under `protect({ upTo })`.
import type { Usd } from '@svc-pay/money';
import { dollarText, readDollars } from './dollars.ts';

type Meter = { readonly capUsd: Usd; chargeUsd: Usd | undefined };

/** By the request object that the framework hands to the handler. */
const meters = new WeakMap<object, Meter>();

/**
 * Reports what this request costs, such as `'$0.37'`: for Express and Fastify give the request, for Hono its context, for
 * Next the request. The last report counts. `'$0'` charges nothing and gives the cap back. Throws for more than the cap, and
 * on a route that is not under `protect({ upTo })`.
 */
export function charge(request: object, amount: string): void {
  const meter = meters.get(request);
  if (meter === undefined) throw new Error('charge() is for a request that paid under protect({ upTo })');
  const chargeUsd = readDollars(amount, 'the charge');
  if (chargeUsd > meter.capUsd) throw new RangeError(`the charge is above the cap of $${dollarText(meter.capUsd)}`);
  meter.chargeUsd = chargeUsd;
}

/** Opens the meter of a request; the returned function reads it. */
export function meterOf(request: object, capUsd: Usd | undefined): () => Usd | undefined {
  if (capUsd === undefined) return () => undefined;
  const meter: Meter = { capUsd, chargeUsd: undefined };
  meters.set(request, meter);
  return () => meter.chargeUsd;
}

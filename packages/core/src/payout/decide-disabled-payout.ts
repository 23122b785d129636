import { registersPayouts } from '../token/chain.ts';
import type { Payout } from './payout.ts';

export type DisableDecision<Found> =
  /** All of these, in one transaction. */
  | { readonly step: 'disable'; readonly payouts: readonly Found[] }
  | { readonly step: 'keep'; readonly payout: Found }
  | { readonly step: 'refuse'; readonly code: 'payout_unknown' | 'payout_of_processor' };

type Disablable = Pick<Payout, 'status' | 'direct' | 'network'>;

/**
 * An operator ends a direct payout in the database, which is all there is of it, and so one on Solana or the Internet
 * Computer. A processor's is retired on its chain.
 *
 * Wallets that it replaced end with it: a merchant left them, and none takes money again without a new activation. One that
 * has not taken effect replaced nothing yet, so the wallet before it stays in use. `earlier` are the payouts that it
 * replaced, or will, and that are not disabled.
 */
export function decideDisabledPayout<Found extends Disablable>(
  found: Found | undefined,
  earlier: readonly Found[],
  nowMs: number,
): DisableDecision<Found> {
  if (found === undefined) return { step: 'refuse', code: 'payout_unknown' };
  const { direct, status, network } = found;
  if (direct === undefined && registersPayouts(network)) return { step: 'refuse', code: 'payout_of_processor' };
  if (status === 'disabled') return { step: 'keep', payout: found };
  // A row without a readable time may have been in effect.
  const isAhead = direct !== undefined && Date.parse(direct.activeFrom) > nowMs;
  return { step: 'disable', payouts: isAhead ? [found] : [found, ...earlier] };
}

// Which payout of an account a seller's `payTo` names.
import { choosePayout } from '../intent/choose-payout.ts';
import type { ActivePayout, NetworkSetup } from '../payout/merchant-setup.ts';
import { sameAddress } from '../token/address.ts';
import type { TokenEntry } from '../token/token-entry.ts';

export type PayToChoice =
  | { readonly ok: true; readonly payout: ActivePayout }
  /** `expected`: the address that the seller must name, of `payout`; undefined where the account has none for the token. */
  | { readonly ok: false; readonly expected: string | undefined; readonly payout: ActivePayout | undefined };

/**
 * A direct wallet of the account. The signature of a stock client to the processor names no merchant: whoever submits it
 * decides who is paid. So the processor is taken only where the account opted in, and only if no wallet is active.
 */
export function choosePayTo(
  payTo: string,
  payouts: readonly ActivePayout[],
  token: Pick<TokenEntry, 'network' | 'address' | 'directLogs'>,
  setup: Pick<NetworkSetup, 'processor'>,
  takesProcessor: boolean,
  nowMs: number,
): PayToChoice {
  const chosen = choosePayout(payouts, token, setup, false, nowMs);
  const payout = chosen?.direct === undefined && !takesProcessor ? undefined : chosen;
  if (payout !== undefined && sameAddress(recipientOf(payout), payTo)) return { ok: true, payout };
  return { ok: false, expected: payout && recipientOf(payout), payout };
}

function recipientOf({ direct, merchant, processor }: ActivePayout): string {
  return direct === undefined ? processor : merchant;
}

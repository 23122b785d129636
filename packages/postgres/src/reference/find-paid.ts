// What a transaction paid of an intent's offer, measured by the balances of the recipients.
import { type DueReference, measurePayment, type PaidTerms, payerOfMovement, type TokenMovement } from '@svc-pay/core';
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import type pg from 'pg';
import { loadStoredPayouts } from '../payout/transfer-terms.ts';
import type { PaidAcceptance } from '../reader/apply-found-money.ts';

/**
 * The acceptance of which the transaction paid the greatest part; undefined when no recipient of any got something. The
 * transaction may have been made for a payout that was disabled since: it is measured too, so that its money is told.
 */
export async function findPaid(
  client: pg.ClientBase,
  { accountId, mode, network, feeRecipient }: DueReference,
  movement: TokenMovement,
  offered: readonly PaidTerms[],
): Promise<PaidAcceptance | undefined> {
  const found: PaidAcceptance[] = [];
  for (const terms of offered) {
    if (terms.network !== network || terms.scheme !== 'exact') continue;
    const name = { network, payoutId: terms.payoutId, merchant: terms.payTo, feeRecipient };
    for (const payout of await loadStoredPayouts(client, { accountId, mode }, name)) {
      const made = payoutTerms(payout);
      if (!made.ok) continue;
      const shares = { merchant: payout.merchant, ...made.terms };
      const legs = { mint: terms.token.address, shares, feeRecipient: payout.feeRecipient };
      const { paidAtomic: amountAtomic, surplusAtomic } = measurePayment(movement, legs, terms.amount);
      if (amountAtomic + surplusAtomic === 0n) continue;
      const amount = atomicAmount(amountAtomic);
      const broken = breakDown(amount, amount, made.terms);
      const feeAtomic = broken.ok ? broken.breakdown.feeAtomic : 0n;
      // On Solana a payout is stored under the platform's fee account, in the place of a processor.
      const acceptance = { ...terms, payTo: payout.feeRecipient, shares };
      const payer = payerOfMovement(movement, terms.token.address);
      const { feeRecipient: to, withdrawn } = payout;
      found.push({
        acceptance,
        merchant: shares.merchant,
        amountAtomic,
        surplusAtomic,
        feeAtomic,
        feeRecipient: to,
        withdrawn,
        payer,
        sender: payer,
      });
    }
  }
  const [most] = found.toSorted((one, other) => partOf(other, one) || Number(one.withdrawn) - Number(other.withdrawn));
  return most;
}

/** Above zero where the first paid a greater part of what it asks for. */
function partOf(one: PaidAcceptance, other: PaidAcceptance): number {
  const [first, second] = [one.amountAtomic * other.acceptance.amount, other.amountAtomic * one.acceptance.amount];
  return first === second ? 0 : first > second ? 1 : -1;
}

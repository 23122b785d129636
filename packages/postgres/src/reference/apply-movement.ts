// Applies a transaction that names the reference of an intent. What it paid is measured by balances.
import {
  type AppliedMovement,
  type DueReference,
  measurePayment,
  type PaidTerms,
  payerOfMovement,
  type TokenMovement,
} from '@svc-pay/core';
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import type pg from 'pg';
import { loadStoredPayout } from '../payout/transfer-terms.ts';
import { applyFoundMoney, type PaidAcceptance } from '../reader/apply-found-money.ts';

export function applyMovement(
  client: pg.ClientBase,
  reference: DueReference,
  movement: TokenMovement,
  nowMs: number,
): Promise<AppliedMovement> {
  const { network, intentCode } = reference;
  const { transactionId, slot } = movement;
  return applyFoundMoney(
    client,
    {
      network,
      intentCode,
      transactionId,
      blockNumber: slot,
      blockTimeMs: blockTimeOf(movement, nowMs),
      event: 'solana_pay',
      foundBy: 'reference',
      findPaid: (offered) => findPaid(client, reference, movement, offered),
    },
    nowMs,
  );
}

/** The acceptance of which the transaction paid the greatest part; undefined when it paid nothing of any. */
async function findPaid(
  client: pg.ClientBase,
  { accountId, mode, network, feeRecipient }: DueReference,
  movement: TokenMovement,
  offered: readonly PaidTerms[],
): Promise<PaidAcceptance | undefined> {
  const found: PaidAcceptance[] = [];
  for (const terms of offered) {
    if (terms.network !== network || terms.scheme !== 'exact') continue;
    const name = { network, payoutId: terms.payoutId, merchant: terms.payTo, feeRecipient };
    const payout = await loadStoredPayout(client, { accountId, mode }, name);
    const made = payout && payoutTerms(payout);
    if (payout === undefined || made?.ok !== true) continue;
    const shares = { merchant: payout.merchant, ...made.terms };
    const legs = { mint: terms.token.address, shares, feeRecipient: payout.feeRecipient };
    const { paidAtomic } = measurePayment(movement, legs, terms.amount);
    if (paidAtomic === 0n) continue;
    const amount = atomicAmount(paidAtomic);
    const broken = breakDown(amount, amount, made.terms);
    if (!broken.ok) continue;
    const { feeAtomic } = broken.breakdown;
    // On Solana a payout is stored under the platform's fee account, in the place of a processor.
    const acceptance = { ...terms, payTo: payout.feeRecipient, shares };
    const payer = payerOfMovement(movement, terms.token.address);
    found.push({
      acceptance,
      amountAtomic: paidAtomic,
      feeAtomic,
      feeRecipient: payout.feeRecipient,
      payer,
      sender: payer,
    });
  }
  const [most] = found.toSorted((one, other) =>
    one.amountAtomic * other.acceptance.amount > other.amountAtomic * one.acceptance.amount ? -1 : 1,
  );
  return most;
}

/** A node may have forgotten the time of a block: then it counts when it is found. */
const blockTimeOf = ({ blockTimeSeconds }: TokenMovement, nowMs: number): number =>
  blockTimeSeconds === undefined ? nowMs : Number(blockTimeSeconds) * 1_000;

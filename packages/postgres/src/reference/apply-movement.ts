// Applies a transaction that names the reference of an intent. What it paid is measured by balances.
import type { AppliedMovement, DueReference, PaidTerms, TokenMovement } from '@svc-pay/core';
import type pg from 'pg';
import type { ProvenRow } from '../payment/log-proofs.ts';
import { applyFoundMoney } from '../reader/apply-found-money.ts';
import { findPaid } from './find-paid.ts';
import { withoutPayment } from './payment-beside.ts';
import { withoutRefund } from './refund-beside.ts';

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
      findPaidBeside: async (refund: ProvenRow, offered: readonly PaidTerms[]) =>
        findPaid(client, reference, await withoutRefund(client, reference, movement, refund), offered),
      findPaidElse: async (paymentId: string, offered: readonly PaidTerms[]) => {
        const rest = await withoutPayment(client, reference, movement, paymentId);
        const paid = await findPaid(client, reference, rest.movement, offered);
        return paid?.merchant !== undefined && rest.merchants.includes(paid.merchant) ? undefined : paid;
      },
    },
    nowMs,
  );
}

/** A node may have forgotten the time of a block: then it counts when it is found. */
const blockTimeOf = ({ blockTimeSeconds }: TokenMovement, nowMs: number): number =>
  blockTimeSeconds === undefined ? nowMs : Number(blockTimeSeconds) * 1_000;

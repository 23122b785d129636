// The use of a direct authorization that is being applied, and what is read of it.
import type { AuthorizationLog, FinalLog, UseFacts } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { findProofs } from '../payment/log-proofs.ts';
import { writeUnattributed } from '../payment/unattributed-receipts.ts';
import { isOwnTransaction, type OwnedIntent } from './lock-for-apply.ts';

export type UseToApply = {
  readonly network: NetworkId;
  readonly log: AuthorizationLog;
  readonly final: FinalLog;
  readonly claimKey: Uint8Array;
  /** Payouts of the paid wallet whose activation holds, by `payoutKey`. */
  readonly activated: ReadonlySet<string>;
  readonly nowMs: number;
};

export type ClaimOwner = OwnedIntent & { readonly paymentId: string | null };

export async function findClaimOwner(client: pg.ClientBase, key: Uint8Array): Promise<ClaimOwner | undefined> {
  const { rows } = await client.query<ClaimOwner>({
    name: 'find-claim-owner',
    text: `
      select account_id as "accountId", mode, intent_id as "intentId", payment_id as "paymentId"
      from svc.claims where claim_key = $1`,
    values: [Buffer.from(key)],
  });
  return rows[0];
}

/** Stores the receipt at its transfer: a use without one moved no money. */
export async function storeReceipt(
  client: pg.ClientBase,
  { network, log, final, nowMs }: UseToApply,
  { mode, intentId }: OwnedIntent,
  reason: string,
  paymentId?: string,
): Promise<void> {
  const { logIndex, to, valueAtomic } = transferOf(final);
  await writeUnattributed(client, {
    network,
    mode,
    log,
    logIndex,
    reason,
    about: { intentId, ...(paymentId !== undefined && { paymentId }), to, valueAtomic: valueAtomic.toString() },
    nowMs,
  });
}

export function transferOf({ transfer, log }: FinalLog): NonNullable<FinalLog['transfer']> {
  if (transfer === undefined)
    throw new Error(`log ${log.position.logIndex} of ${log.position.transactionId} moved nothing`);
  return transfer;
}

export async function loadUseFacts(
  client: pg.ClientBase,
  { network, log, final: { transfer } }: UseToApply,
): Promise<UseFacts> {
  const { transactionId, blockNumber } = log.position;
  const proofs =
    transfer === undefined ? [] : await findProofs(client, [{ network, transactionId, logIndex: transfer.logIndex }]);
  return {
    transactionId,
    blockNumber,
    transfer,
    ownTransaction: await isOwnTransaction(client, network, transactionId),
    transferTaken: proofs.length > 0,
  };
}

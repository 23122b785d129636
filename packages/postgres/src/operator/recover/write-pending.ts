// The rows of a payment whose transaction is under way, as the API and a lane write them between a header and a receipt.
import { type CarriedPayment, type HeldLane, type Intent, isoTime } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export type PendingPayment = {
  /** Addresses as the token catalogue and the acceptance spell them. */
  readonly carried: CarriedPayment;
  readonly intent: Intent;
  readonly confirmations: number;
  readonly tokenShortcode: string;
  readonly held: HeldLane;
  readonly batchId: string;
  readonly nowMs: number;
  /** Events that this change causes. */
  readonly eventCount: number;
};

const WRITE = {
  name: 'recover-write-pending',
  text: `
    with claim as (
      insert into svc.claims (
        claim_key, account_id, mode, intent_id, network, asset, payer, nonce, payment_id, created_at
      )
      values ($5, $1, $2, $3, $6, $7, $8, $9, $10, $4)
      on conflict (claim_key) do update set payment_id = excluded.payment_id
    ),
    signed as (
      insert into svc.authorizations (
        account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after, valid_before,
        nonce, signature, created_at, by_contract
      )
      values ($1, $2, $3, $5, $11, $6, $7, $8, $12, $13, $14, $15, $9, $16, $4, $17)
      on conflict do nothing
    ),
    settlement as (
      insert into svc.settlements (
        account_id, mode, payment_id, intent_id, intent_code, claim_key, network, asset, status, cap, settled_amount,
        payout_id, relayer, batch_id, created_at, updated_at
      )
      values ($1, $2, $10, $3, $18, $5, $6, $7, 'batched', $13, $19, $20, $21, $22, $4, $4)
      returning number
    ),
    payment as (
      insert into svc.payments (
        account_id, mode, id, intent_id, status, network, token_shortcode, asset, payer, amount, requested_amount,
        settlement_number, created_at, updated_at
      )
      select $1, $2, $10, $3, 'pending', $6, $23, $7, $8, $19, $13, number, $4, $4 from settlement
    )
    update svc.intents
    set status = 'processing', payment_id = $10, amount = $13, ledger_id = $7, network = $6, token_shortcode = $23,
      service_metadata = $24, expires_at = $25, confirmations = $26, event_sequence = event_sequence + $27,
      version = version + 1, updated_at = $4
    where account_id = $1 and mode = $2 and id = $3`,
};

export async function writePending(client: pg.ClientBase, pending: PendingPayment): Promise<void> {
  const { carried, intent, held, nowMs } = pending;
  const { rowCount } = await client.query({
    ...WRITE,
    values: [
      intent.accountId,
      intent.mode,
      intent.id,
      isoTime(nowMs),
      Buffer.from(carried.claimKey),
      held.network,
      carried.asset,
      carried.payer,
      bytesOf(carried.nonce),
      newId('payment', nowMs),
      carried.kind,
      carried.processor,
      carried.capAtomic.toString(),
      carried.validAfterSeconds.toString(),
      carried.validBeforeSeconds.toString(),
      bytesOf(carried.signature),
      carried.byContract,
      intent.intentCode,
      carried.settledAtomic.toString(),
      carried.payoutId.toString(),
      held.relayer,
      pending.batchId,
      pending.tokenShortcode,
      JSON.stringify(intent.serviceMetadata),
      isoTime(intent.expiresAtMs),
      pending.confirmations,
      pending.eventCount,
    ],
  });
  if (rowCount !== 1) throw new Error(`intent ${intent.id} is gone`);
}

export async function insertIntent(client: pg.ClientBase, intent: Intent): Promise<void> {
  await client.query({
    name: 'recover-insert-intent',
    text: `
      with code as (
        insert into svc.intent_codes (intent_code, account_id, mode, intent_id) values ($4, $1, $2, $3)
      )
      insert into svc.intents (
        account_id, mode, id, intent_code, status, x402_upto, amount, ledger_id, network, token_shortcode, metadata,
        service_metadata, expires_at, confirmations, created_at, updated_at
      )
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)`,
    values: [
      intent.accountId,
      intent.mode,
      intent.id,
      intent.intentCode,
      intent.status,
      intent.upto,
      intent.amount.toString(),
      intent.ledgerId,
      intent.network,
      intent.tokenShortcode,
      JSON.stringify(intent.metadata),
      JSON.stringify(intent.serviceMetadata),
      isoTime(intent.expiresAtMs),
      intent.confirmations,
      isoTime(intent.createdAtMs),
    ],
  });
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');

// Writes the rows of a restored payment: it is pending in its batch, as the API and a lane write it between header and
// receipt.
import { type Intent, isoTime, type RestoredRows, SETTLEMENT_STATUS } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { writeEvents } from '../event/write-events.ts';
import { storedServiceMetadata } from '../intent/service-metadata.ts';
import { insertAuthorization, insertClaim } from '../payment/insert-authorization.ts';
import { insertPayment } from '../payment/insert-payment.ts';
import { transferColumn } from '../payment/lane-item-row.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';

const PENDING = namedParameters({
  account_id: 'text',
  mode: 'text',
  intent_id: 'text',
  now: 'timestamptz',
  claim_key: 'bytea',
  network: 'text',
  asset: 'text',
  payer: 'text',
  nonce: 'bytea',
  payment_id: 'text',
  kind: 'text',
  recipient: 'text',
  cap: 'numeric',
  valid_after: 'bigint',
  valid_before: 'bigint',
  signature: 'bytea',
  by_contract: 'boolean',
  direct: 'boolean',
  transfer: 'jsonb',
  bound_relayer: 'text',
  intent_code: 'bigint',
  settled_amount: 'numeric',
  payout_id: 'bigint',
  relayer: 'text',
  batch_id: 'text',
  intent_status: 'text',
  token_shortcode: 'text',
  service_metadata: 'jsonb',
  expires_at: 'timestamptz',
  confirmations: 'integer',
  events: 'integer',
});
const { at } = PENDING;
const { claim_key, account_id, mode, intent_id, network, asset, payer, nonce, payment_id, now } = at;
const { kind, recipient, cap, valid_after, valid_before, signature, by_contract, direct, transfer, bound_relayer } = at;
// The use of a direct authorization is the one that was found on chain, so every block counts.
const DIRECT = { direct, unused_at_block: `case when ${direct} then 0 end` };
const SIGNED = { claim_key, account_id, mode, intent_id, network, asset, payer, nonce, created_at: now };
const { intent_code, token_shortcode, settled_amount, payout_id, relayer, batch_id } = at;
const SETTLED = { intent_code, token_shortcode, cap, settled_amount, payout_id, relayer, batch_id, payment_id, now };
// The chain does not say which acceptance was paid. Those of one token have one rate.
const RATE = `(
        select offered.usd_per_token_atto from svc.acceptances offered
        where offered.account_id = ${account_id} and offered.mode = ${mode} and offered.intent_id = ${intent_id}
          and offered.network = ${network} and offered.asset = ${asset}
        order by offered.position limit 1
      )`;

const WRITE = {
  name: 'restore-write-pending',
  text: `
    with claim as (
      ${insertClaim({ ...SIGNED, payment_id })}
      on conflict (claim_key) do update set payment_id = excluded.payment_id
    ),
    signed as (
      ${insertAuthorization({ ...SIGNED, ...DIRECT, kind, recipient, cap, valid_after, valid_before, signature, by_contract, transfer })}
      on conflict do nothing
    ),
    ${insertPayment({ ...SETTLED, usd_per_token_atto: RATE, account_id, mode, intent_id, claim_key, network, asset, payer, direct, bound_relayer, status: SETTLEMENT_STATUS.batched })}
    update svc.intents
    set status = ${at.intent_status}, payment_id = ${payment_id}, amount = ${cap}, ledger_id = ${asset}, network = ${network},
      token_shortcode = ${token_shortcode}, service_metadata = ${at.service_metadata}, expires_at = ${at.expires_at},
      confirmations = ${at.confirmations}, event_sequence = event_sequence + ${at.events}, version = version + 1,
      updated_at = ${now}
    where account_id = ${account_id} and mode = ${mode} and id = ${intent_id}`,
};

export async function writeRestored(
  client: pg.ClientBase,
  { lease, batch, nowMs }: PaymentToRestore,
  { carried, intent, confirmations, tokenShortcode, events }: RestoredRows,
): Promise<void> {
  const { rowCount } = await client.query({
    ...WRITE,
    values: PENDING.values({
      account_id: intent.accountId,
      mode: intent.mode,
      intent_id: intent.id,
      now: isoTime(nowMs),
      claim_key: Buffer.from(carried.claimKey),
      network: lease.network,
      asset: carried.asset,
      payer: carried.payer,
      nonce: bytesOfHex(carried.nonce),
      payment_id: newId('payment', nowMs),
      kind: carried.kind,
      recipient: carried.processor,
      cap: carried.capAtomic.toString(),
      valid_after: carried.validAfterSeconds.toString(),
      valid_before: carried.validBeforeSeconds.toString(),
      signature: bytesOfHex(carried.signature),
      by_contract: carried.byContract,
      direct: carried.direct === true,
      transfer: transferColumn(carried.transfer),
      bound_relayer: carried.transfer?.relayer ?? null,
      intent_code: intent.intentCode,
      settled_amount: carried.settledAtomic.toString(),
      payout_id: carried.payoutId.toString(),
      relayer: lease.relayer,
      batch_id: batch.id,
      intent_status: intent.status,
      token_shortcode: tokenShortcode,
      service_metadata: storedServiceMetadata(intent),
      expires_at: isoTime(intent.expiresAtMs),
      confirmations,
      events: events.length,
    }),
  });
  if (rowCount !== 1) throw new Error(`intent ${intent.id} is gone`);
  const owner = { accountId: intent.accountId, mode: intent.mode };
  await writeEvents(
    client,
    events.map((event) => ({ event, owner })),
  );
}

const INTENT = namedParameters({
  account_id: 'text',
  mode: 'text',
  id: 'text',
  intent_code: 'bigint',
  status: 'text',
  x402_upto: 'boolean',
  amount: 'numeric',
  ledger_id: 'text',
  network: 'text',
  token_shortcode: 'text',
  metadata: 'text',
  service_metadata: 'jsonb',
  expires_at: 'timestamptz',
  confirmations: 'integer',
  created_at: 'timestamptz',
});
const INSERT_INTENT = {
  name: 'restore-insert-intent',
  text: `
    with code as (
      insert into svc.intent_codes (intent_code, account_id, mode, intent_id)
      values (${INTENT.at.intent_code}, ${INTENT.at.account_id}, ${INTENT.at.mode}, ${INTENT.at.id})
    )
    ${insertText('svc.intents', { ...INTENT.at, updated_at: INTENT.at.created_at })}`,
};

export async function insertStandIn(client: pg.ClientBase, intent: Intent): Promise<void> {
  await client.query({
    ...INSERT_INTENT,
    values: INTENT.values({
      account_id: intent.accountId,
      mode: intent.mode,
      id: intent.id,
      intent_code: intent.intentCode,
      status: intent.status,
      x402_upto: intent.upto,
      amount: intent.amount.toString(),
      ledger_id: intent.ledgerId,
      network: intent.network,
      token_shortcode: intent.tokenShortcode,
      metadata: JSON.stringify(intent.metadata),
      service_metadata: storedServiceMetadata(intent),
      expires_at: isoTime(intent.expiresAtMs),
      confirmations: intent.confirmations,
      created_at: isoTime(intent.createdAtMs),
    }),
  });
}

// The only writer of up-to settlements. It trusts nobody: intent, authorization, cap, window and processor are read and
// judged here again, under the intent's lock, and what follows is one transaction.
import { type Clock, isoTime, judgeSettlement, type UptoRefusal } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { type IntentToChange, lockIntent } from '../stores/load-intent.ts';
import { STORED_JSON, type StoredRow, storedOf } from '../stores/load-upto.ts';
import { writeAudit } from '../stores/write-audit.ts';

export type UptoSettlement = {
  readonly intentId: Id<'paymentIntent'>;
  readonly settledAtomic: bigint;
  /** Whose deed it is, for the audit record. */
  readonly actor: string;
};

export type BeganUpto =
  /** `begun` is false for a repeat with the same amount. */
  | { readonly ok: true; readonly paymentId: Id<'payment'>; readonly network: NetworkId; readonly begun: boolean }
  | { readonly ok: false; readonly code: UptoRefusal | 'not_found' };

export type BeginUptoParts = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** The version of a processor that this process settles through; undefined for any other. */
  readonly processorVersion: (network: string, processor: string) => string | undefined;
};

type SignedRow = {
  readonly stored: StoredRow;
  readonly claim_key: Buffer;
  readonly payer: string;
  readonly payout_id: string;
  readonly token_shortcode: string;
};

export function beginUpto(parts: BeginUptoParts, settlement: UptoSettlement): Promise<BeganUpto> {
  return inTransaction(parts.pool, (client) => begin(client, parts, settlement));
}

async function begin(
  client: pg.PoolClient,
  { clock, processorVersion }: BeginUptoParts,
  { intentId, settledAtomic, actor }: UptoSettlement,
): Promise<BeganUpto> {
  const owner = await findOwner(client, intentId);
  const before = owner && (await lockIntent(client, owner, intentId));
  if (before === undefined) return { ok: false, code: 'not_found' };
  const signed = await loadSigned(client, before.intent);
  const stored = signed === undefined ? null : storedOf(signed.stored);
  const { intent, payment } = before;
  const nowMs = clock.nowMs();
  const version = stored === null ? undefined : processorVersion(stored.network, stored.recipient);
  const judged = judgeSettlement({ intent, payment, stored, processorVersion: version }, settledAtomic, nowMs);
  if (judged.verdict === 'refused') return { ok: false, code: judged.code };
  if (judged.verdict === 'begun') {
    return { ok: true, paymentId: judged.payment.id, network: judged.payment.network, begun: false };
  }
  if (signed === undefined) throw new Error(`intent ${intentId} has no authorization to settle`);
  const paymentId = newId('payment', nowMs);
  await write(client, { before, signed, paymentId, settledAtomic, nowMs });
  await writeAudit(client, nowMs, {
    accountId: intent.accountId,
    mode: intent.mode,
    actor,
    action: 'upto.settled',
    target: intentId,
    detail: { paymentId, settledAmount: settledAtomic.toString(), capAmount: judged.stored.cap.toString() },
  });
  return { ok: true, paymentId, network: judged.stored.network, begun: true };
}

async function findOwner(
  client: pg.ClientBase,
  intentId: string,
): Promise<Pick<IntentToChange['intent'], 'accountId' | 'mode'> | undefined> {
  const { rows } = await client.query<Pick<IntentToChange['intent'], 'accountId' | 'mode'>>({
    name: 'find-upto-owner',
    text: 'select account_id as "accountId", mode from svc.intents where id = $1 and x402_upto',
    values: [intentId],
  });
  return rows[0];
}

/** What the payer signed, and what it was offered for. */
async function loadSigned(
  client: pg.ClientBase,
  { accountId, mode, id }: IntentToChange['intent'],
): Promise<SignedRow | undefined> {
  const { rows } = await client.query<SignedRow>({
    name: 'load-signed-upto',
    text: `
      select ${STORED_JSON} as stored, signed.claim_key, signed.payer, offered.payout_id, offered.token_shortcode
      from (
        select * from svc.authorizations signed
        where signed.account_id = $1 and signed.mode = $2 and signed.intent_id = $3
        order by signed.created_at desc limit 1
      ) signed
      join svc.acceptances offered
        on offered.account_id = $1 and offered.mode = $2 and offered.intent_id = $3 and offered.scheme = 'upto'
          and offered.network = signed.network and offered.asset = signed.asset and offered.amount = signed.cap`,
    values: [accountId, mode, id],
  });
  return rows[0];
}

const WRITE = {
  name: 'begin-upto',
  text: `
    with settlement as (
      insert into svc.settlements (
        account_id, mode, payment_id, intent_id, intent_code, claim_key, network, asset, status, cap, settled_amount,
        payout_id, created_at, updated_at
      )
      values ($1, $2, $4, $3, $6, $7, $8, $9, 'queued', $10, $11, $12, $5, $5)
      returning number
    ),
    payment as (
      insert into svc.payments (
        account_id, mode, id, intent_id, status, network, token_shortcode, asset, payer, amount, requested_amount,
        settlement_number, created_at, updated_at
      )
      select $1, $2, $4, $3, 'pending', $8, $13, $9, $14, $11, $10, number, $5, $5 from settlement
    ),
    claim as (
      update svc.claims set payment_id = $4 where claim_key = $7
    )
    update svc.intents set status = 'processing', payment_id = $4, version = version + 1, updated_at = $5
    where account_id = $1 and mode = $2 and id = $3 and version = $15`,
};

type Writing = {
  readonly before: IntentToChange;
  readonly signed: SignedRow;
  readonly paymentId: string;
  readonly settledAtomic: bigint;
  readonly nowMs: number;
};

async function write(client: pg.ClientBase, writing: Writing): Promise<void> {
  const { before, signed, paymentId, settledAtomic, nowMs } = writing;
  const { intent, version } = before;
  const { rowCount } = await client.query({
    ...WRITE,
    values: [
      intent.accountId,
      intent.mode,
      intent.id,
      paymentId,
      isoTime(nowMs),
      intent.intentCode,
      signed.claim_key,
      signed.stored.network,
      signed.stored.asset,
      signed.stored.cap,
      settledAtomic.toString(),
      signed.payout_id,
      signed.token_shortcode,
      signed.payer,
      version,
    ],
  });
  if (rowCount !== 1) throw new Error(`intent ${intent.id} changed under its lock`);
}

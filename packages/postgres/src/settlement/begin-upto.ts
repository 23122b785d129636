// The only writer of up-to settlements. It does not rely on checks of its caller: owner, API key, intent, authorization, cap,
// validity window and processor are read and judged again. Everything is one transaction.
import { type Clock, INTENT_TRANSITIONS, isoTime, judgeSettlement, type Mode, type UptoRefusal } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { sqlStep } from '../database/status-sql.ts';
import { type IntentToChange, lockIntent } from '../intent/load-intent.ts';
import { insertPayment } from '../payment/insert-payment.ts';
import { soloPayer } from '../payment/solo-payers.ts';
import { isSecretKeyOf } from './is-secret-key-of.ts';
import { STORED_JSON, type StoredRow, storedOf } from './load-upto.ts';

export type UptoSettlement = {
  /** Owner of the intent. */
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly intentId: Id<'paymentIntent'>;
  readonly settledAtomic: bigint;
  /** Secret key in whose name it is asked, for the audit record. Null: the caller named none. */
  readonly keyId: string | null;
};

export type BeganUpto =
  | {
      readonly ok: true;
      readonly paymentId: Id<'payment'>;
      readonly network: NetworkId;
      /** The cap of the settlement that this call began; null if it was begun before with the same amount. */
      readonly begunCapAtomic: bigint | null;
    }
  | { readonly ok: false; readonly code: UptoRefusal | 'not_found' | 'key_invalid' };

export type BeginUptoDeps = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** Version of the processor; undefined if this process does not settle through it. */
  readonly processorVersion: (network: string, processor: string) => string | undefined;
};

type SignedRow = {
  readonly stored: StoredRow;
  readonly claim_key: Buffer;
  readonly payer: string;
  readonly payout_id: string;
  readonly token_shortcode: string;
  readonly usd_per_token_atto: string | null;
  readonly solo_payer: string | null;
};

export function beginUpto(deps: BeginUptoDeps, settlement: UptoSettlement): Promise<BeganUpto> {
  return inTransaction(deps.pool, (client) => begin(client, deps, settlement));
}

async function begin(
  client: pg.PoolClient,
  { clock, processorVersion }: BeginUptoDeps,
  { intentId, settledAtomic, keyId, ...owner }: UptoSettlement,
): Promise<BeganUpto> {
  const nowMs = clock.nowMs();
  if (keyId !== null && !(await isSecretKeyOf(client, owner, keyId, nowMs))) return { ok: false, code: 'key_invalid' };
  const before = await lockIntent(client, owner, intentId);
  if (before === undefined) return { ok: false, code: 'not_found' };
  const signed = await loadSigned(client, before.intent, nowMs);
  const stored = signed === undefined ? null : storedOf(signed.stored);
  const { intent, payment } = before;
  const version = stored === null ? undefined : processorVersion(stored.network, stored.recipient);
  const judged = judgeSettlement({ intent, payment, stored, processorVersion: version }, settledAtomic, nowMs);
  if (judged.verdict === 'refused') return { ok: false, code: judged.code };
  if (judged.verdict === 'begun') {
    return { ok: true, paymentId: judged.payment.id, network: judged.payment.network, begunCapAtomic: null };
  }
  if (signed === undefined) throw new Error(`intent ${intentId} has no authorization to settle`);
  const paymentId = newId('payment', nowMs);
  await write(client, { before, signed, paymentId, settledAtomic, nowMs });
  await writeAudit(client, nowMs, {
    accountId: intent.accountId,
    mode: intent.mode,
    actor: keyId === null ? 'service:internal' : `key:${keyId}`,
    action: 'upto.settled',
    target: intentId,
    detail: { paymentId, settledAmount: settledAtomic.toString(), capAmount: judged.stored.cap.toString() },
  });
  return { ok: true, paymentId, network: judged.stored.network, begunCapAtomic: judged.stored.cap };
}

const SOLO_PAYER = soloPayer({
  network: 'signed.network',
  payer: 'signed.payer',
  byContract: 'signed.by_contract',
  now: '$4::timestamptz',
});

/** The intent's newest authorization with the acceptance that it matches. */
async function loadSigned(
  client: pg.ClientBase,
  { accountId, mode, id }: IntentToChange['intent'],
  nowMs: number,
): Promise<SignedRow | undefined> {
  const { rows } = await client.query<SignedRow>({
    name: 'load-signed-upto',
    text: `
      select ${STORED_JSON} as stored, signed.claim_key, signed.payer, offered.payout_id, offered.token_shortcode,
        offered.usd_per_token_atto,
        ${SOLO_PAYER} as solo_payer
      from (
        select * from svc.authorizations signed
        where signed.account_id = $1 and signed.mode = $2 and signed.intent_id = $3
        order by signed.created_at desc limit 1
      ) signed
      join svc.acceptances offered
        on offered.account_id = $1 and offered.mode = $2 and offered.intent_id = $3 and offered.scheme = 'upto'
          and offered.network = signed.network and offered.asset = signed.asset and offered.amount = signed.cap`,
    values: [accountId, mode, id, isoTime(nowMs)],
  });
  return rows[0];
}

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  intent_id: 'text',
  payment_id: 'text',
  now: 'timestamptz',
  intent_code: 'bigint',
  claim_key: 'bytea',
  network: 'text',
  asset: 'text',
  cap: 'numeric',
  settled_amount: 'numeric',
  payout_id: 'bigint',
  token_shortcode: 'text',
  usd_per_token_atto: 'numeric',
  payer: 'text',
  version: 'integer',
  solo_payer: 'text',
});
const { version, ...given } = GIVEN.at;
const BEGUN_INTENT = sqlStep(INTENT_TRANSITIONS, 'requires_payment', 'processing');
const WRITE = {
  name: 'begin-upto',
  text: `
    with ${insertPayment({ ...given, status: 'queued' })},
    claim as (
      update svc.claims set payment_id = ${given.payment_id}
      where claim_key = ${given.claim_key} and account_id = ${given.account_id} and mode = ${given.mode}
    )
    update svc.intents
    set status = ${BEGUN_INTENT.to}, payment_id = ${given.payment_id}, version = version + 1, updated_at = ${given.now}
    where account_id = ${given.account_id} and mode = ${given.mode} and id = ${given.intent_id} and version = ${version}`,
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
  const { intent } = before;
  const { rowCount } = await client.query({
    ...WRITE,
    values: GIVEN.values({
      account_id: intent.accountId,
      mode: intent.mode,
      intent_id: intent.id,
      payment_id: paymentId,
      now: isoTime(nowMs),
      intent_code: intent.intentCode,
      claim_key: signed.claim_key,
      network: signed.stored.network,
      asset: signed.stored.asset,
      cap: signed.stored.cap,
      settled_amount: settledAtomic.toString(),
      payout_id: signed.payout_id,
      token_shortcode: signed.token_shortcode,
      usd_per_token_atto: signed.usd_per_token_atto,
      payer: signed.payer,
      version: before.version,
      solo_payer: signed.solo_payer,
    }),
  });
  if (rowCount !== 1) throw new Error(`intent ${intent.id} changed under its lock`);
}

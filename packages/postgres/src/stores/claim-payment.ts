import { type Caller, type ClaimOutcome, isoTime, type PaymentClaim, spelled } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { transferColumn } from '../lanes/lane-item-row.ts';

// The intent is locked first and asked again under the lock; the claim is the gate for everything else. Two headers for
// one intent meet at the lock, one authorization for two intents meets at the claim. The lock names the key and nothing
// else (`limit` keeps the rest out of it): given the expiry too, a plan made while a month's table is young walks all that
// may expire in it, for every claim.
const CLAIM = {
  name: 'claim-payment',
  text: `
    with locked as (
      select intent_code from (
        select intent_code, status, expires_at from svc.intents
        where account_id = $1 and mode = $2 and id = $3
        limit 1
        for update
      ) intent
      where status = 'requires_payment' and expires_at > $4
    ),
    claimed as (
      insert into svc.claims (
        claim_key, account_id, mode, intent_id, network, asset, payer, nonce, payment_id, created_at
      )
      select $5, $1, $2, $3, $6, $7, $8, $9, $10, $4 from locked
      on conflict do nothing
      returning 1
    ),
    written_authorization as (
      insert into svc.authorizations (
        account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after, valid_before,
        nonce, signature, created_at, by_contract, transfer
      )
      select $1, $2, $3, $5, $11, $6, $7, $8, $12, $13, $14, $15, $9, $16, $4, $19, $21::jsonb from claimed
    ),
    written_settlement as (
      insert into svc.settlements (
        account_id, mode, payment_id, intent_id, intent_code, claim_key, network, asset, status, cap, settled_amount,
        payout_id, bound_relayer, created_at, updated_at
      )
      select $1, $2, $10, $3, intent_code, $5, $6, $7, 'queued', $13, $13, $17, $22, $4, $4 from locked, claimed
      returning number
    ),
    written_payment as (
      insert into svc.payments (
        account_id, mode, id, intent_id, status, network, token_shortcode, asset, payer, amount, requested_amount,
        settlement_number, created_at, updated_at
      )
      select $1, $2, $10, $3, 'pending', $6, $18, $7, $8, $13, $13, number, $4, $4 from written_settlement
    ),
    changed_intent as (
      update svc.intents
      set status = 'processing', payment_id = $10, amount = $13, ledger_id = $7, network = $6, token_shortcode = $18,
        confirmations = $20, version = version + 1, updated_at = $4
      from claimed
      where account_id = $1 and mode = $2 and id = $3
    )
    select count(*)::integer as claimed from claimed`,
};

const FIND_CLAIM = {
  name: 'find-claim',
  text: `
    select account_id = $2 and mode = $3 and intent_id = $4 as same, payment_id
    from svc.claims where claim_key = $1`,
};

export async function claimPayment(pool: pg.Pool, claim: PaymentClaim): Promise<ClaimOutcome> {
  const { rows } = await pool.query<{ claimed: number }>({ ...CLAIM, values: valuesOf(claim) });
  if (rows[0]?.claimed === 1) return { outcome: 'claimed' };
  const held = await holderOf(pool, claim.caller, claim.intentId, claim.claimKey);
  if (held === undefined) return { outcome: 'intent_taken' };
  return held.same ? { outcome: 'claimed_before', paymentId: held.payment_id } : { outcome: 'bound_elsewhere' };
}

export async function findClaim(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  key: Uint8Array,
): Promise<'here' | 'elsewhere' | undefined> {
  const held = await holderOf(pool, caller, intentId, key);
  return held && (held.same ? 'here' : 'elsewhere');
}

type Holder = { readonly same: boolean; readonly payment_id: Id<'payment'> | null };

async function holderOf(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
  key: Uint8Array,
): Promise<Holder | undefined> {
  const { rows } = await pool.query<Holder>({ ...FIND_CLAIM, values: [key, accountId, mode, intentId] });
  return rows[0];
}

function valuesOf({
  caller,
  intentId,
  paymentId,
  claimKey,
  kind,
  acceptance,
  authorization,
  ...rest
}: PaymentClaim): unknown[] {
  return [
    caller.accountId,
    caller.mode,
    intentId,
    isoTime(rest.nowMs),
    claimKey,
    acceptance.network,
    acceptance.token.address,
    spelled(authorization.from),
    bytesOf(authorization.nonce),
    paymentId,
    kind,
    acceptance.payTo,
    acceptance.amount.toString(),
    authorization.validAfter,
    authorization.validBefore,
    bytesOf(rest.signature),
    acceptance.payoutId.toString(),
    acceptance.token.shortcode,
    rest.byContract,
    acceptance.confirmations,
    transferColumn(rest.transfer),
    rest.transfer?.relayer ?? null,
  ];
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

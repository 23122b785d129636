import { type Caller, type ClaimOutcome, isoTime, type PaymentClaim, spelled } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { transferColumn } from '../lanes/lane-item-row.ts';

// Claims of many intents, each as if it were alone. An intent is locked first and asked again under the lock; the claim is the
// gate for everything else. Two headers for one intent meet at the lock, one authorization for two intents meets at the
// claim. The lock goes by the key: with plain words for status and expiry, a plan made while a month's table is young would
// walk all that may expire in it. Locks are taken in the order of intents and claims in the order of keys, so that two
// processes never wait for each other crosswise.
const CLAIM = {
  name: 'claim-payment',
  text: `
    with asked as materialized (
      select * from unnest(
        $2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::text[], $9::bytea[], $10::text[],
        $11::text[], $12::text[], $13::numeric[], $14::bigint[], $15::bigint[], $16::bytea[], $17::bigint[], $18::text[],
        $19::boolean[], $20::integer[], $21::jsonb[], $22::text[]
      ) as asked (
        account_id, mode, intent_id, claim_key, network, asset, payer, nonce, payment_id, kind, recipient, cap,
        valid_after, valid_before, signature, payout_id, token_shortcode, by_contract, confirmations, transfer,
        bound_relayer
      )
    ),
    locked as materialized (
      select asked.*, intent.intent_code from asked
      cross join lateral (
        select intent_code, expires_at from svc.intents
        where account_id = asked.account_id and mode = asked.mode and id = asked.intent_id
          and status || '' = 'requires_payment'
        limit 1
        for update
      ) intent
      where intent.expires_at > $1::timestamptz
    ),
    claimed as (
      insert into svc.claims (
        claim_key, account_id, mode, intent_id, network, asset, payer, nonce, payment_id, created_at
      )
      select claim_key, account_id, mode, intent_id, network, asset, payer, nonce, payment_id, $1::timestamptz from locked
      order by claim_key
      on conflict do nothing
      returning payment_id
    ),
    won as materialized (select locked.* from locked where payment_id in (select payment_id from claimed)),
    written_authorization as (
      insert into svc.authorizations (
        account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after, valid_before,
        nonce, signature, created_at, by_contract, transfer
      )
      select account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after,
        valid_before, nonce, signature, $1::timestamptz, by_contract, transfer
      from won
    ),
    written_settlement as (
      insert into svc.settlements (
        account_id, mode, payment_id, intent_id, intent_code, claim_key, network, asset, status, cap, settled_amount,
        payout_id, bound_relayer, created_at, updated_at
      )
      select account_id, mode, payment_id, intent_id, intent_code, claim_key, network, asset, 'queued', cap, cap,
        payout_id, bound_relayer, $1::timestamptz, $1::timestamptz
      from won
      returning payment_id, number
    ),
    written_payment as (
      insert into svc.payments (
        account_id, mode, id, intent_id, status, network, token_shortcode, asset, payer, amount, requested_amount,
        settlement_number, created_at, updated_at
      )
      select account_id, mode, payment_id, intent_id, 'pending', network, token_shortcode, asset, payer, cap, cap,
        number, $1::timestamptz, $1::timestamptz
      from won join written_settlement using (payment_id)
    ),
    changed_intent as (
      update svc.intents intent
      set status = 'processing', payment_id = won.payment_id, amount = won.cap, ledger_id = won.asset,
        network = won.network, token_shortcode = won.token_shortcode, confirmations = won.confirmations,
        version = version + 1, updated_at = $1::timestamptz
      from won
      where intent.account_id = won.account_id and intent.mode = won.mode and intent.id = won.intent_id
    )
    select payment_id from claimed`,
};

const FIND_CLAIM = {
  name: 'find-claim',
  text: `
    select account_id = $2 and mode = $3 and intent_id = $4 as same, payment_id
    from svc.claims where claim_key = $1`,
};

/** In their order. No two may be of the same intent, and all are of one moment: the latest that any of them names. */
export async function claimPayments(pool: pg.Pool, claims: readonly PaymentClaim[]): Promise<readonly ClaimOutcome[]> {
  const nowMs = Math.max(...claims.map((claim) => claim.nowMs));
  const each = claims.toSorted(byIntent).map(valuesOf);
  const columns = Array.from({ length: COLUMNS }, (_, column) => each.map((values) => values[column]));
  const { rows } = await pool.query<{ payment_id: Id<'payment'> }>({ ...CLAIM, values: [isoTime(nowMs), ...columns] });
  const won = new Set(rows.map((row) => row.payment_id));
  return Promise.all(
    claims.map(async (claim): Promise<ClaimOutcome> => {
      if (won.has(claim.paymentId)) return { outcome: 'claimed' };
      const held = await holderOf(pool, claim.caller, claim.intentId, claim.claimKey);
      if (held === undefined) return { outcome: 'intent_taken' };
      return held.same ? { outcome: 'claimed_before', paymentId: held.payment_id } : { outcome: 'bound_elsewhere' };
    }),
  );
}

export async function claimPayment(pool: pg.Pool, claim: PaymentClaim): Promise<ClaimOutcome> {
  const [outcome] = await claimPayments(pool, [claim]);
  if (outcome === undefined) throw new Error('a claim was left without an outcome');
  return outcome;
}

const byIntent = (one: PaymentClaim, other: PaymentClaim) =>
  one.intentId === other.intentId ? 0 : one.intentId < other.intentId ? -1 : 1;

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

/** Of the columns of `asked`. */
const COLUMNS = 21;

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
    Buffer.from(claimKey),
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

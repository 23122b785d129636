// Direct authorizations that can still move money as far as the database knows, in the order of expiry: those of payments,
// and those that were refused.
import { type AuthorizationCursor, BATCH_STATUS, type OpenDirect } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';

/** SQL: a log about the authorization `alias` waits to be applied. */
const unapplied = (alias: string) => `exists (
        select from svc.read_logs log
        where log.network = $1 and log.event in ('authorization_used', 'authorization_canceled')
          and log.log ->> 'nonce' = '0x' || encode(${alias}.nonce, 'hex') and log.address = lower(${alias}.asset)
          and log.log ->> 'payer' = ${alias}.payer
      ) as unapplied`;

const LOAD = {
  name: 'load-open-direct',
  text: `
    select a.account_id, a.mode, a.intent_id, a.claim_key, a.kind, a.asset, a.recipient, a.payer, a.cap,
      encode(a.nonce, 'hex') as nonce, a.valid_before, extract(epoch from a.created_at)::bigint as claimed_at,
      a.bound, a.unused_at_block, c.payment_id, s.status as settlement, s.refusal,
      coalesce(s.held_for_merchant, false) as held_for_merchant, false as refused, true as claimed,
      not coalesce(s.reversible, false) as result_final, ${unapplied('a')}
    from (
      select * from svc.authorizations
      where network = $1 and closed_at is null and direct and valid_before >= $2 and valid_before < $5
        and (valid_before > $2 or claim_key > $3)
      order by valid_before, claim_key limit $4
    ) a
    left join lateral (select payment_id from svc.claims c where c.claim_key = a.claim_key limit 1) c on true
    left join lateral (
      select status, refusal, held_for_merchant, exists (
          select from svc.batches carrier
          where carrier.id = s.batch_id and carrier.status ${sqlIs(BATCH_STATUS.mined)}
        ) as reversible
      from svc.settlements s
      where s.account_id = a.account_id and s.mode = a.mode and s.payment_id = c.payment_id limit 1
    ) s on true
    order by a.valid_before, a.claim_key`,
};

// One authorization may be refused for several intents: it is looked at once, and closed for all.
const LOAD_REFUSED = {
  name: 'load-open-refused',
  text: `
    select r.account_id, r.mode, r.intent_id, r.claim_key,
      'transfer_with_authorization' as kind, r.asset, r.recipient, r.payer, r.amount as cap,
      encode(r.nonce, 'hex') as nonce, r.valid_before, extract(epoch from r.created_at)::bigint as claimed_at,
      r.bound, r.unused_at_block, null as payment_id, null as settlement, null as refusal, false as held_for_merchant,
      true as refused, exists (select from svc.claims c where c.claim_key = r.claim_key) as claimed,
      true as result_final, ${unapplied('r')}
    from (
      select distinct on (valid_before, claim_key) * from svc.refused_authorizations
      where network = $1 and closed_at is null and valid_before >= $2 and valid_before < $5
        and (valid_before > $2 or claim_key > $3)
      order by valid_before, claim_key, created_at limit $4
    ) r
    order by r.valid_before, r.claim_key`,
};

type Row = {
  readonly account_id: string;
  readonly mode: string;
  readonly intent_id: string;
  readonly claim_key: Buffer;
  readonly kind: OpenDirect['kind'];
  readonly asset: string;
  readonly recipient: string;
  readonly payer: string;
  readonly cap: string;
  readonly nonce: string;
  readonly valid_before: string;
  readonly claimed_at: string;
  readonly bound: boolean;
  readonly unused_at_block: string | null;
  readonly payment_id: string | null;
  readonly settlement: string | null;
  readonly refusal: string | null;
  readonly held_for_merchant: boolean;
  readonly refused: boolean;
  readonly claimed: boolean;
  readonly result_final: boolean;
  readonly unapplied: boolean;
};

type Load = (
  pool: pg.Pool,
  network: NetworkId,
  after: AuthorizationCursor,
  beforeSeconds: bigint,
  limit: number,
) => Promise<readonly OpenDirect[]>;

const loadBy =
  (statement: typeof LOAD): Load =>
  async (pool, network, after, beforeSeconds, limit) => {
    const { validBeforeSeconds, claimKey } = after;
    const values = [network, validBeforeSeconds.toString(), Buffer.from(claimKey), limit, beforeSeconds.toString()];
    const { rows } = await pool.query<Row>({ ...statement, values });
    return rows.map(openDirectOf);
  };

export const loadOpenDirect = loadBy(LOAD);
export const loadOpenRefused = loadBy(LOAD_REFUSED);

function openDirectOf(row: Row): OpenDirect {
  return {
    accountId: row.account_id,
    mode: row.mode,
    intentId: row.intent_id,
    claimKey: row.claim_key,
    kind: row.kind,
    asset: row.asset,
    processor: row.recipient,
    payer: row.payer,
    capAtomic: BigInt(row.cap),
    nonce: `0x${row.nonce}`,
    validBeforeSeconds: BigInt(row.valid_before),
    claimedAtSeconds: BigInt(row.claimed_at),
    paymentId: row.payment_id,
    settlement: row.settlement,
    relayer: null,
    program: null,
    refused: row.refused,
    claimed: row.claimed,
    bound: row.bound,
    unusedAtBlock: row.unused_at_block === null ? null : BigInt(row.unused_at_block),
    refusal: row.refusal as ErrorCode | null,
    heldForMerchant: row.held_for_merchant,
    isResultFinal: row.result_final,
    hasUnappliedLog: row.unapplied,
  };
}

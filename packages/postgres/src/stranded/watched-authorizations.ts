// Every stored authorization is watched until a finalized block is past its expiry: until then anybody who has seen it
// may submit it. Pages are read in the order of expiry, by the partial index of open authorizations, or by the table of
// those that no settlement is going to use.
import {
  type AuthorizationCursor,
  type AuthorizationKey,
  type AuthorizationKind,
  isoTime,
  type OpenAuthorization,
  type StrandedStore,
} from '@svc-pay/core';
import type pg from 'pg';
import { expectedColumn, ONE_BY_KEY } from '../database/planner.ts';

// `settlement` lets the watcher leave payments in progress to the lane.
const textOf = (page: string) => `
    select a.account_id, a.mode, a.intent_id, a.claim_key, a.kind, a.asset, a.recipient, a.payer, a.cap,
      encode(a.nonce, 'hex') as nonce, a.valid_before, extract(epoch from a.created_at)::bigint as claimed_at,
      c.payment_id, s.status as settlement, a.transfer ->> 'relayer' as relayer, a.transfer ->> 'program' as program
    from (${page}) a
    left join lateral (select payment_id from svc.claims c where c.claim_key = a.claim_key limit 1) c on true
    left join lateral (
      select status from svc.settlements s
      where s.account_id = a.account_id and s.mode = a.mode and s.payment_id = c.payment_id limit 1
    ) s on true
    order by a.valid_before, a.claim_key`;

const after = (row: string) => `
  ${row}.network = $1 and ${row}.valid_before >= $2 and ${row}.valid_before < $5
    and (${row}.valid_before > $2 or ${row}.claim_key > $3)`;
const LOAD = {
  name: 'load-open-authorizations',
  // Direct ones have a watcher of their own: no processor takes part.
  text: textOf(`
      select * from svc.authorizations open where ${after('open')} and closed_at is null and not direct
      order by valid_before, claim_key limit $4`),
};
const LOAD_UNSETTLED = {
  name: 'load-unsettled-authorizations',
  text: textOf(`
      select found.* from svc.unsettled_authorizations listed cross join lateral (
        select * from svc.authorizations kept
        where kept.account_id = listed.account_id and kept.mode = listed.mode and kept.intent_id = listed.intent_id
          and kept.claim_key = listed.claim_key and kept.closed_at is null
        ${ONE_BY_KEY}
      ) found
      where ${after('listed')} order by listed.valid_before, listed.claim_key limit $4`),
};

type Row = {
  readonly account_id: string;
  readonly mode: string;
  readonly intent_id: string;
  readonly claim_key: Buffer;
  readonly kind: AuthorizationKind;
  readonly asset: string;
  readonly recipient: string;
  readonly payer: string;
  readonly cap: string;
  readonly nonce: string;
  readonly valid_before: string;
  readonly claimed_at: string;
  readonly payment_id: string | null;
  readonly settlement: string | null;
  readonly relayer: string | null;
  readonly program: string | null;
};

type Page = Parameters<StrandedStore['loadOpenAuthorizations']>;

export const loadOpenAuthorizations = (pool: pg.Pool, ...page: Page) => load(pool, LOAD, ...page);

export const loadUnsettledAuthorizations = (pool: pg.Pool, ...page: Page) => load(pool, LOAD_UNSETTLED, ...page);

async function load(
  pool: pg.Pool,
  statement: typeof LOAD,
  network: string,
  after: AuthorizationCursor,
  beforeSeconds: bigint,
  limit: number,
): Promise<readonly OpenAuthorization[]> {
  const values = [
    network,
    after.validBeforeSeconds.toString(),
    Buffer.from(after.claimKey),
    limit,
    beforeSeconds.toString(),
  ];
  const { rows } = await pool.query<Row>({ ...statement, values });
  return rows.map((row) => ({
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
    relayer: row.relayer,
    program: row.program,
  }));
}

export async function closeAuthorizations(
  client: pg.Pool | pg.ClientBase,
  over: readonly AuthorizationKey[],
  nowMs: number,
): Promise<void> {
  if (over.length === 0) return;
  await client.query({
    name: 'close-authorizations',
    text: `
      with over as materialized (
        select over.*, ${expectedColumn('true', 'open')}
        from unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) as over (account_id, mode, intent_id, claim_key)
      ),
      closed as (
        update svc.authorizations a set closed_at = $5 from over
        where a.account_id = over.account_id and a.mode = over.mode and a.intent_id = over.intent_id
          and a.claim_key = over.claim_key and (a.closed_at is null) = over.open
        returning a.network, a.valid_before, a.claim_key
      )
      delete from svc.unsettled_authorizations listed using closed
      where listed.network = closed.network and listed.valid_before = closed.valid_before
        and listed.claim_key = closed.claim_key`,
    values: [
      over.map(({ accountId }) => accountId),
      over.map(({ mode }) => mode),
      over.map(({ intentId }) => intentId),
      over.map(({ claimKey }) => claimKey),
      isoTime(nowMs),
    ],
  });
}

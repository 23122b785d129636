// Every authorization that was ever stored is looked after until a finalized block is past its last second: until then
// anybody who has seen it may submit it.
import { type AuthorizationKind, isoTime } from '@svc-pay/core';
import type pg from 'pg';

export type OverdueAuthorization = {
  readonly accountId: string;
  readonly mode: string;
  readonly intentId: string;
  readonly claimKey: Uint8Array;
  readonly kind: AuthorizationKind;
  readonly asset: string;
  readonly payer: string;
  /** 0x-hex. */
  readonly nonce: string;
  /** Of the payment that claimed it; null when nothing was to be settled. */
  readonly settlement: string | null;
};

const LOAD = {
  name: 'load-overdue-authorizations',
  text: `
    select a.account_id, a.mode, a.intent_id, a.claim_key, a.kind, a.asset, a.payer, encode(a.nonce, 'hex') as nonce,
      s.status as settlement
    from (
      select * from svc.authorizations
      where network = $1 and valid_before < $2 and closed_at is null order by valid_before limit $3
    ) a
    left join svc.claims c on c.claim_key = a.claim_key
    left join svc.settlements s
      on s.account_id = a.account_id and s.mode = a.mode and s.payment_id = c.payment_id`,
};

type Row = {
  readonly account_id: string;
  readonly mode: string;
  readonly intent_id: string;
  readonly claim_key: Buffer;
  readonly kind: AuthorizationKind;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  readonly settlement: string | null;
};

/** Those whose last second lies before `finalizedSeconds`, and that nobody has closed. */
export async function loadOverdueAuthorizations(
  pool: pg.Pool,
  network: string,
  finalizedSeconds: bigint,
  limit: number,
): Promise<readonly OverdueAuthorization[]> {
  const { rows } = await pool.query<Row>({ ...LOAD, values: [network, finalizedSeconds.toString(), limit] });
  return rows.map((row) => ({
    accountId: row.account_id,
    mode: row.mode,
    intentId: row.intent_id,
    claimKey: row.claim_key,
    kind: row.kind,
    asset: row.asset,
    payer: row.payer,
    nonce: `0x${row.nonce}`,
    settlement: row.settlement,
  }));
}

export async function closeAuthorizations(
  pool: pg.Pool,
  over: readonly OverdueAuthorization[],
  nowMs: number,
): Promise<void> {
  if (over.length === 0) return;
  await pool.query({
    name: 'close-authorizations',
    text: `
      update svc.authorizations a set closed_at = $5
      from unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) as over (account_id, mode, intent_id, claim_key)
      where a.account_id = over.account_id and a.mode = over.mode and a.intent_id = over.intent_id
        and a.claim_key = over.claim_key and a.closed_at is null`,
    values: [
      over.map(({ accountId }) => accountId),
      over.map(({ mode }) => mode),
      over.map(({ intentId }) => intentId),
      over.map(({ claimKey }) => claimKey),
      isoTime(nowMs),
    ],
  });
}

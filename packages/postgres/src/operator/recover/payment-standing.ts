import type { CarriedPayment, Mode } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

/** In `svc.intents.service_metadata`, and so in what merchants see: the intent was made of what the chain says. */
export const STAND_IN_KEY = 'svc_recovered_from_chain';

export type IntentOwner = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly intentId: Id<'paymentIntent'>;
  readonly standIn: boolean;
};

export type SettlementStanding = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  readonly status: string;
  readonly batchId: string | null;
  readonly settledAtomic: bigint;
  /** Its money was stranded, and is being recovered. */
  readonly recovering: boolean;
};

export type PaymentStanding = {
  /** Who holds its authorization; without a settlement it is an up-to authorization that waits. */
  readonly claim:
    | { readonly accountId: string; readonly intentId: string; readonly settlement: SettlementStanding | undefined }
    | undefined;
  /** Whose its intent code is. */
  readonly owner: IntentOwner | undefined;
};

type ClaimRow = {
  readonly account_id: Id<'account'>;
  readonly mode: Mode;
  readonly intent_id: string;
  readonly payment_id: Id<'payment'> | null;
  readonly status: string | null;
  readonly batch_id: string | null;
  readonly settled_amount: string;
  readonly recovering: boolean;
};

export async function findStanding(
  client: pg.ClientBase,
  { claimKey, intentCode }: CarriedPayment,
): Promise<PaymentStanding> {
  const claims = await client.query<ClaimRow>({
    name: 'recover-find-claim',
    text: `
      select c.account_id, c.mode, c.intent_id, c.payment_id, s.status, s.batch_id, s.settled_amount, exists (
          select from svc.recoveries r
          where r.account_id = c.account_id and r.mode = c.mode and r.claim_key = c.claim_key
        ) as recovering
      from svc.claims c
      left join svc.settlements s
        on s.account_id = c.account_id and s.mode = c.mode and s.payment_id = c.payment_id
      where c.claim_key = $1`,
    values: [Buffer.from(claimKey)],
  });
  const owners = await client.query<IntentOwner>({
    name: 'recover-find-owner',
    text: `
      select i.account_id as "accountId", i.mode, i.id as "intentId", i.service_metadata ? $2 as "standIn"
      from svc.intent_codes k
      join svc.intents i on i.account_id = k.account_id and i.mode = k.mode and i.id = k.intent_id
      where k.intent_code = $1`,
    // A chain's code may be any 64 bits; ours are smaller, and a larger one would be no bigint of Postgres.
    values: [intentCode < 2n ** 53n ? intentCode.toString() : '-1', STAND_IN_KEY],
  });
  const [row] = claims.rows;
  return { owner: owners.rows[0], claim: row && claimOf(row) };
}

function claimOf(row: ClaimRow): PaymentStanding['claim'] {
  const settlement =
    row.payment_id === null || row.status === null
      ? undefined
      : {
          accountId: row.account_id,
          mode: row.mode,
          paymentId: row.payment_id,
          status: row.status,
          batchId: row.batch_id,
          settledAtomic: BigInt(row.settled_amount),
          recovering: row.recovering,
        };
  return { accountId: row.account_id, intentId: row.intent_id, settlement };
}

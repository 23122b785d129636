// What the database has of a payment that the chain settled.
import {
  type CarriedPayment,
  type IntentOwner,
  isIntentCode,
  type Mode,
  STAND_IN_KEY,
  type StoredPaymentState,
  type StoredSettlement,
} from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

type ClaimRow = {
  readonly account_id: Id<'account'>;
  readonly mode: Mode;
  readonly intent_id: string;
  readonly payment_id: Id<'payment'> | null;
  readonly status: StoredSettlement['status'] | null;
  readonly batch_id: string | null;
  readonly settled_amount: string;
  readonly stranded: boolean;
};

export async function findStoredState(
  client: pg.ClientBase,
  { claimKey, intentCode }: CarriedPayment,
): Promise<StoredPaymentState> {
  const claims = await client.query<ClaimRow>({
    name: 'restore-find-claim',
    text: `
      select c.account_id, c.mode, c.intent_id, c.payment_id, s.status, s.batch_id, s.settled_amount, exists (
          select from svc.stranded_transfers r
          where r.account_id = c.account_id and r.mode = c.mode and r.claim_key = c.claim_key
        ) as stranded
      from svc.claims c
      left join svc.settlements s
        on s.account_id = c.account_id and s.mode = c.mode and s.payment_id = c.payment_id
      where c.claim_key = $1`,
    values: [Buffer.from(claimKey)],
  });
  const owners = await client.query<IntentOwner>({
    name: 'restore-find-owner',
    text: `
      select i.account_id as "accountId", i.mode, i.id as "intentId", i.service_metadata ? $2 as "standIn"
      from svc.intent_codes k
      join svc.intents i on i.account_id = k.account_id and i.mode = k.mode and i.id = k.intent_id
      where k.intent_code = $1`,
    // A code that is not one of ours may not fit a Postgres bigint.
    values: [isIntentCode(intentCode) ? intentCode.toString() : '-1', STAND_IN_KEY],
  });
  const [row] = claims.rows;
  return { owner: owners.rows[0], claim: row && claimOf(row) };
}

function claimOf(row: ClaimRow): StoredPaymentState['claim'] {
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
          stranded: row.stranded,
        };
  return { accountId: row.account_id, intentId: row.intent_id, settlement };
}

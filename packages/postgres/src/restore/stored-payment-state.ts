// What the database has of a payment that the chain settled.
import {
  type CarriedPayment,
  type CarriedTransfer,
  type IntentOwner,
  isIntentCode,
  type Mode,
  type OwnedPayout,
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
  const claim = await findClaim(client, claimKey);
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
  return { owner: owners.rows[0], claim: claim && claimOf(claim) };
}

/** Without the owner: of an authorization whose intent nobody names. */
export async function findClaimedState(client: pg.ClientBase, claimKey: Uint8Array): Promise<StoredPaymentState> {
  const claim = await findClaim(client, claimKey);
  return { owner: undefined, claim: claim && claimOf(claim) };
}

export type StoredTransferState = StoredPaymentState & {
  /** Of the owner's intent. */
  readonly intentCode: string | null;
  /** Account that has the named intent, and none of the payouts that fit. */
  readonly elsewhere: string | undefined;
};

/**
 * A transfer's memo names its intent, of one of the accounts whose payouts divide the money so; `elsewhere` is set where
 * another account has it. A transfer without such a memo belongs to the intent that claimed it, and to none if nothing did.
 */
export async function findStoredTransfer(
  client: pg.ClientBase,
  { claimKey, intentId }: CarriedTransfer,
  payouts: readonly Pick<OwnedPayout, 'accountId' | 'mode'>[],
): Promise<StoredTransferState> {
  const claim = await findClaim(client, claimKey);
  const owners = claim === undefined ? payouts : [{ accountId: claim.account_id, mode: claim.mode }];
  const { rows } = await client.query<IntentOwner & { readonly intentCode: string }>({
    name: 'restore-find-named-owner',
    text: `
      select i.account_id as "accountId", i.mode, i.id as "intentId", i.service_metadata ? $4 as "standIn",
        i.intent_code as "intentCode"
      from (select distinct * from unnest($1::text[], $2::text[])) as o (account_id, mode)
      join svc.intents i on i.account_id = o.account_id and i.mode = o.mode and i.id = $3`,
    values: [
      owners.map(({ accountId }) => accountId),
      owners.map(({ mode }) => mode),
      intentId ?? claim?.intent_id ?? '',
      STAND_IN_KEY,
    ],
  });
  const { intentCode = null, ...owner } = rows[0] ?? {};
  const isMissing = rows[0] === undefined && claim === undefined && intentId !== null;
  return {
    owner: rows[0] && (owner as IntentOwner),
    intentCode,
    claim: claim && claimOf(claim),
    elsewhere: isMissing ? await findAccountOf(client, intentId) : undefined,
  };
}

/** Of any account: the id alone decides, and names the partition that is searched. */
async function findAccountOf(client: pg.ClientBase, intentId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'restore-find-account-of-intent',
    text: 'select account_id from svc.intents where id = $1 limit 1',
    values: [intentId],
  });
  return rows[0]?.account_id;
}

async function findClaim(client: pg.ClientBase, claimKey: Uint8Array): Promise<ClaimRow | undefined> {
  const { rows } = await client.query<ClaimRow>({
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
  return rows[0];
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

// Direct authorizations that were validly signed and refused, from their refusal until they can move no money any more.
import {
  type Caller,
  hasRoomForRefused,
  isoTime,
  type KeptRefused,
  MAX_REFUSED_INTENTS,
  MAX_UNFUNDED,
  normalizeAddress,
  type RefusedAuthorization,
  type RefusedRecord,
} from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';

const REFUSED = namedParameters({
  account_id: 'text',
  mode: 'text',
  intent_id: 'text',
  claim_key: 'bytea',
  network: 'text',
  asset: 'text',
  payer: 'text',
  recipient: 'text',
  payout_id: 'bigint',
  position: 'integer',
  amount: 'numeric',
  valid_before: 'bigint',
  nonce: 'bytea',
  bound: 'boolean',
  unused_at_block: 'bigint',
  code: 'text',
  funded: 'boolean',
  created_at: 'timestamptz',
});
const { account_id, mode, intent_id } = REFUSED.at;

const INSERT = {
  name: 'insert-refused-authorization',
  text: `
    ${insertText(
      'svc.refused_authorizations',
      REFUSED.at,
      // An intent that leaves unpaid is locked: it has no authorization that is watched.
      `from (
        select from svc.intents
        where account_id = ${account_id} and mode = ${mode} and id = ${intent_id} for key share
      ) intent`,
    )}
    on conflict do nothing`,
};

const LOAD_KEPT = {
  name: 'load-kept-refused',
  text: `
    select exists (
        select from svc.refused_authorizations
        where account_id = $1 and mode = $2 and intent_id = $3 and claim_key = $4
      ) as known, (
        select count(*)::integer from (
          select from svc.refused_authorizations
          where account_id = $1 and mode = $2 and intent_id = $3 and not funded
          limit ${MAX_UNFUNDED}
        ) kept
      ) as "unfundedOfIntent", (
        select count(*)::integer from (
          select from svc.refused_authorizations where claim_key = $4 and closed_at is null
          limit ${MAX_REFUSED_INTENTS}
        ) kept
      ) as "intentsOfClaim"`,
};

// Calls that might exceed the limit of the intent wait here for each other: the look behind it finds the rows of the one
// before. Those of one authorization for several intents do not: a few at the same moment may exceed its limit.
const LOCK = {
  name: 'lock-intent-of-refused',
  text: 'select from svc.intents where account_id = $1 and mode = $2 and id = $3 for no key update',
};

export async function recordRefused(pool: pg.Pool, refused: RefusedAuthorization): Promise<RefusedRecord> {
  if (refused.funded) return storeRefused(pool, refused);
  return inTransaction(pool, async (client) => {
    const { caller, intentId } = refused;
    await client.query({ ...LOCK, values: [caller.accountId, caller.mode, intentId] });
    return storeRefused(client, refused);
  });
}

async function storeRefused(client: pg.Pool | pg.ClientBase, refused: RefusedAuthorization): Promise<RefusedRecord> {
  const kept = await loadKept(client, refused);
  if (kept.known) return 'known';
  if (!hasRoomForRefused(refused.funded, kept)) return 'full';
  if ((await client.query({ ...INSERT, values: valuesOf(refused) })).rowCount === 1) return 'stored';
  // Another call stored it meanwhile, or the intent left.
  return (await loadKept(client, refused)).known ? 'known' : 'full';
}

async function loadKept(
  client: pg.Pool | pg.ClientBase,
  { caller, intentId, claimKey }: RefusedAuthorization,
): Promise<KeptRefused & { readonly known: boolean }> {
  const { rows } = await client.query<KeptRefused & { known: boolean }>({
    ...LOAD_KEPT,
    values: [caller.accountId, caller.mode, intentId, Buffer.from(claimKey)],
  });
  const [kept] = rows;
  if (kept === undefined) throw new Error('the look at refused authorizations answered no row');
  return kept;
}

function valuesOf(refused: RefusedAuthorization): unknown[] {
  const { caller, acceptance, authorization, direct } = refused;
  return REFUSED.values({
    account_id: caller.accountId,
    mode: caller.mode,
    intent_id: refused.intentId,
    claim_key: Buffer.from(refused.claimKey),
    network: acceptance.network,
    asset: acceptance.token.address,
    payer: normalizeAddress(authorization.from),
    recipient: normalizeAddress(acceptance.payTo),
    payout_id: acceptance.payoutId.toString(),
    position: acceptance.position,
    amount: acceptance.amount.toString(),
    valid_before: authorization.validBefore,
    nonce: bytesOfHex(authorization.nonce),
    bound: direct.bound,
    unused_at_block: direct.atBlock.toString(),
    code: refused.code,
    funded: refused.funded,
    created_at: isoTime(refused.nowMs),
  });
}

/** Queues a direct payment again that the chain refused. The API has no other right to change a settlement. */
export async function queueRefused(
  pool: pg.Pool,
  { accountId, mode: ofMode }: Caller,
  intentId: Id<'paymentIntent'>,
  claimKey: Uint8Array,
  nowMs: number,
): Promise<boolean> {
  const { rows } = await pool.query<{ queued: boolean | null }>({
    name: 'queue-refused',
    text: 'select svc.queue_refused($1, $2, $3, $4, $5) as queued',
    values: [accountId, ofMode, intentId, Buffer.from(claimKey), isoTime(nowMs)],
  });
  return rows[0]?.queued === true;
}

const FIND_OPEN = {
  name: 'find-open-refused',
  text: `
    select account_id, mode, intent_id, payer, recipient, payout_id, position, amount, bound, unused_at_block
    from svc.refused_authorizations where claim_key = $1 and closed_at is null order by created_at, intent_id`,
};

export type RefusedRow = {
  readonly account_id: Id<'account'>;
  readonly mode: Caller['mode'];
  readonly intent_id: Id<'paymentIntent'>;
  readonly payer: string;
  readonly recipient: string;
  readonly payout_id: string;
  readonly position: number;
  readonly amount: string;
  readonly bound: boolean;
  readonly unused_at_block: string;
};

/** One authorization may have been refused for several intents; the first refusal comes first. */
export async function findOpenRefused(client: pg.ClientBase, claimKey: Uint8Array): Promise<readonly RefusedRow[]> {
  const { rows } = await client.query<RefusedRow>({ ...FIND_OPEN, values: [Buffer.from(claimKey)] });
  return rows;
}

const DELETE_CLOSED = {
  name: 'delete-closed-refused',
  text: `
    delete from svc.refused_authorizations where (account_id, mode, intent_id, claim_key) in (
      select account_id, mode, intent_id, claim_key from svc.refused_authorizations
      where closed_at < $1 order by closed_at limit $2
    )`,
};

/** Deletes those that were closed before `beforeMs`, at most `most` of them. Returns how many. */
export async function deleteClosedRefused(pool: pg.Pool, beforeMs: number, most: number): Promise<number> {
  const { rowCount } = await pool.query({ ...DELETE_CLOSED, values: [isoTime(beforeMs), most] });
  return rowCount ?? 0;
}

/** Closes the authorizations of these claim keys, for whichever intents they were refused. */
export async function closeRefused(
  client: pg.ClientBase | pg.Pool,
  claimKeys: readonly Uint8Array[],
  nowMs: number,
): Promise<void> {
  if (claimKeys.length === 0) return;
  await client.query({
    name: 'close-refused',
    text: `
      update svc.refused_authorizations set closed_at = $2 where claim_key = any ($1::bytea[]) and closed_at is null`,
    values: [claimKeys.map((key) => Buffer.from(key)), isoTime(nowMs)],
  });
}

// Locks the rows that a read log concerns. A result locks a payment, then its intent, then its settlement, and who moves a
// settlement locks that first: a row that another process has is not waited for while an earlier one is held. The log is then
// applied later, and no two processes wait for each other.
import type { LogPosition, SettlementStatus } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { sqlNotMoved } from '../database/not-moved.ts';
import { ONE_BY_KEY } from '../database/planner.ts';
import { type IntentToChange, lockIntent } from '../intent/load-intent.ts';

const LOCK_LOG = {
  name: 'lock-read-log',
  text: `
    select block_hash from svc.read_logs where network = $1 and transaction_id = $2 and log_index = $3
    for update skip locked`,
};
const FIND_LOG = {
  name: 'find-read-log',
  text: 'select from svc.read_logs where network = $1 and transaction_id = $2 and log_index = $3',
};

/** `gone`: it was applied, or a reorg removed it. */
export async function lockLog(
  client: pg.ClientBase,
  network: NetworkId,
  { transactionId, logIndex, blockHash }: LogPosition,
): Promise<'ours' | 'locked' | 'gone'> {
  const values = [network, transactionId, logIndex];
  const { rows } = await client.query<{ block_hash: string }>({ ...LOCK_LOG, values });
  if (rows[0] !== undefined) return rows[0].block_hash === blockHash ? 'ours' : 'gone';
  return (await client.query({ ...FIND_LOG, values })).rowCount === 1 ? 'locked' : 'gone';
}

export async function deleteLog(
  client: pg.ClientBase,
  network: NetworkId,
  { transactionId, logIndex }: LogPosition,
): Promise<void> {
  await client.query({
    name: 'delete-read-log',
    text: 'delete from svc.read_logs where network = $1 and transaction_id = $2 and log_index = $3',
    values: [network, transactionId, logIndex],
  });
}

/**
 * A transaction that names several intents is applied for one of them at a time, also by other processes: what one is told of
 * its money depends on what the others counted. Waits; nothing else may be locked before.
 */
export async function lockTransaction(client: pg.ClientBase, network: NetworkId, transactionId: string): Promise<void> {
  await client.query({
    name: 'lock-transaction-to-apply',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`svc.log_proofs ${network} ${transactionId}`],
  });
}

export type OwnedIntent = {
  readonly accountId: Id<'account'>;
  readonly mode: 'test' | 'live';
  readonly intentId: Id<'paymentIntent'>;
};

export type LockedPayment = {
  readonly read: IntentToChange;
  readonly settlement: { readonly status: SettlementStatus; readonly direct: boolean } | undefined;
};

const LOCK_PAYMENT = {
  name: 'lock-payment-to-apply',
  text: 'select from svc.payments where account_id = $1 and mode = $2 and id = $3 for update skip locked',
};
const LOCK_SETTLEMENT = {
  name: 'lock-settlement-to-apply',
  text: `
    select status, direct from svc.settlements where account_id = $1 and mode = $2 and payment_id = $3
    for update skip locked`,
};
// Partitions of settlements are dropped before those of payments.
const IS_KEPT = {
  name: 'is-settlement-kept',
  text: 'select from svc.settlements where account_id = $1 and mode = $2 and payment_id = $3',
};

/** Undefined when another process has one of the rows. `paymentId` is a payment of the intent; null locks the intent. */
export async function lockPayment(
  client: pg.ClientBase,
  owner: OwnedIntent,
  paymentId: string | null,
): Promise<LockedPayment | undefined> {
  const { accountId, mode, intentId } = owner;
  const values = [accountId, mode, paymentId];
  if (paymentId !== null && (await client.query({ ...LOCK_PAYMENT, values })).rowCount !== 1) return undefined;
  const read = await lockIntent(client, owner, intentId);
  // Of an intent without a payment: it has just left. Its late terms decide when the log is applied again.
  if (read === undefined && paymentId === null) return undefined;
  if (read === undefined) throw new Error(`intent ${intentId} is gone`);
  if (paymentId === null) return { read, settlement: undefined };
  const { rows } = await client.query<NonNullable<LockedPayment['settlement']>>({ ...LOCK_SETTLEMENT, values });
  if (rows[0] !== undefined) return { read, settlement: rows[0] };
  return (await client.query({ ...IS_KEPT, values })).rowCount === 1 ? undefined : { read, settlement: undefined };
}

const FIND_OWNER = {
  name: 'find-intent-of-code',
  text: `
    select code.account_id as "accountId", code.mode, code.intent_id as "intentId", intent.payment_id as "paymentId",
      intent.id is null as "isLate"
    from svc.intent_codes code
    left join lateral (
      select id, payment_id from svc.intents found
      where found.account_id = code.account_id and found.mode = code.mode and found.id = code.intent_id
      ${ONE_BY_KEY}
    ) intent on true
    where code.intent_code = $1
      and (intent.id is not null or exists (select from svc.late_terms late where late.intent_code = code.intent_code))
      and ${sqlNotMoved('code.account_id')}`,
};

export type IntentOfCode = OwnedIntent & {
  readonly paymentId: string | null;
  /** The intent left unpaid: only its late terms are there. */
  readonly isLate: boolean;
};

/** Codes of ours are below this. */
export const CODE_END = 2n ** 53n;

export async function findIntentOfCode(client: pg.ClientBase, code: bigint): Promise<IntentOfCode | undefined> {
  if (code >= CODE_END) return undefined;
  const { rows } = await client.query<IntentOfCode>({ ...FIND_OWNER, values: [code.toString()] });
  return rows[0];
}

/** A lane of ours signed the transaction. */
export async function isOwnTransaction(
  client: pg.ClientBase,
  network: NetworkId,
  transactionId: string,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'is-own-transaction',
    text: 'select from svc.batch_transactions where network = $1 and transaction_id = $2',
    values: [network, transactionId],
  });
  return rowCount === 1;
}

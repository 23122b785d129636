// Refunds as lanes carry them: read as lane items, and moved between the queue and their batch. Final logs decide a refund;
// here nothing completes or fails one.
import {
  type FoundBatch,
  hasOwnNonce,
  isoTime,
  type Lane,
  type LaneItem,
  type LaneLease,
  type Mode,
  type QueueShare,
  REFUND_STATUS,
  REFUND_TRANSITIONS,
  type RefundKind,
  refuseRefund,
  type UnsentItem,
  type UnsentOutcome,
} from '@svc-pay/core';
import { familyOf, type NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { columnArrays } from '../database/statement-parameters.ts';
import { sqlIs, sqlStep } from '../database/status-sql.ts';
import { walletsOf } from '../refund/load-refundable.ts';
import { type TermsColumn, termsOf } from '../refund/terms-column.ts';
import { IN_SHARE } from './queue-share.ts';

/** Refunds that wait for a lane. Must match the condition of the partial indexes of the queue. */
export const QUEUED_REFUND = `status ${sqlIs(REFUND_STATUS.queued)} and signature is not null`;
/** When the next try is due, as the indexes of the queue have it. */
const DUE_AT = `coalesce(retry_at, '-infinity'::timestamptz)`;
/**
 * SQL: `r` waits for a lane and may be sent at this time. No relayer carries the transfer of a wallet that is not the
 * account's: the watch of refunds fails it.
 */
export const dueRefund = (at: string): string =>
  `${QUEUED_REFUND} and ${DUE_AT} <= ${at} and r.wallet = any (${walletsOf('r')})`;
/** SQL: `r` may be sent by this lane now. */
export const SENDABLE_REFUND = `network = $1 and ${dueRefund('$5')} and ${IN_SHARE}`;
const AGAIN = sqlStep(REFUND_TRANSITIONS, REFUND_STATUS.sent, REFUND_STATUS.queued);
export const TAKEN_REFUND = sqlStep(REFUND_TRANSITIONS, REFUND_STATUS.queued, REFUND_STATUS.sent);

const COLUMNS = `
  account_id, mode, id, payment_id, intent_id, intent_code, number, network, asset, kind, sequence, by_contract, amount,
  wallet, recipient, valid_after, valid_before, encode(nonce, 'hex') as nonce, encode(signature, 'hex') as signature,
  transfer, batch_id, (select installation.id from svc.installation) as installation`;

type Row = {
  readonly account_id: Id<'account'>;
  readonly mode: Mode;
  readonly id: Id<'refund'>;
  readonly payment_id: Id<'payment'>;
  readonly intent_id: Id<'paymentIntent'>;
  readonly intent_code: string;
  readonly number: string;
  readonly network: NetworkId;
  readonly asset: string;
  readonly kind: Exclude<RefundKind, 'reported'>;
  readonly sequence: number;
  readonly by_contract: boolean;
  readonly amount: string;
  readonly wallet: string;
  readonly recipient: string;
  readonly valid_after: string | null;
  readonly valid_before: string | null;
  readonly nonce: string;
  readonly signature: string;
  readonly transfer: TermsColumn | null;
  readonly batch_id: string | null;
  readonly installation: string;
};

/** Where no time ends the refund: later than any block. */
const NEVER_SECONDS = 2n ** 40n - 1n;

function itemOf(row: Row): LaneItem {
  const { recipient } = row;
  const terms = termsOf(row.transfer);
  return {
    accountId: row.account_id,
    mode: row.mode,
    paymentId: row.payment_id,
    intentId: row.intent_id,
    intentCode: BigInt(row.intent_code),
    number: BigInt(row.number),
    asset: row.asset,
    processor: recipient,
    kind: row.kind === 'transaction' ? 'solana_transaction' : 'transfer_with_authorization',
    byContract: row.by_contract,
    payer: row.wallet,
    capAtomic: BigInt(row.amount),
    settledAtomic: BigInt(row.amount),
    validAfterSeconds: BigInt(row.valid_after ?? 0),
    validBeforeSeconds: row.valid_before === null ? NEVER_SECONDS : BigInt(row.valid_before),
    nonce: `0x${row.nonce}`,
    signature: `0x${row.signature}`,
    payout: { id: 0n, merchant: recipient, feeBps: 0, splits: [], ...(!isSound(row) && { withdrawn: true }) },
    confirmations: 1,
    refund: { id: row.id, ...(terms && { terms }) },
    ...(terms && { transfer: { ...terms, feeRecipient: '' } }),
  };
}

/**
 * Whoever can write rows must not make a relayer submit just any signature of a wallet, nor stop a lane with a row that no
 * transaction can be made of.
 */
function isSound(row: Row): boolean {
  const isTransaction = row.kind === 'transaction';
  if (isTransaction !== (familyOf(row.network) === 'solana')) return false;
  if (isTransaction ? termsOf(row.transfer) === null : row.transfer !== null) return false;
  const { mode, network, asset, wallet, sequence } = row;
  const owner = { mode, network, asset, wallet, sequence, paymentId: row.payment_id, nonce: `0x${row.nonce}` };
  return hasOwnNonce(row.installation, owner);
}

const NEXT = `${SENDABLE_REFUND} and not (by_contract and wallet = any ($7))`;
const nextAccount = (after: string) =>
  `(select account_id from svc.refunds r where ${NEXT} and account_id > ${after} order by account_id limit 1)`;

// Accounts take turns, each with the refund that is due first: many refunds of one merchant, or some that cannot be sent, do
// not delay those of others. Recursive skip scan, as of the solo queue: what the other refunds of an account are is not read.
export const LOAD_REFUNDS = {
  name: 'lane-load-refunds',
  text: `
    with recursive turn (account, place) as (
      select ${nextAccount('$8')}, 1
      union all
      select ${nextAccount('turn.account')}, place + 1 from turn where turn.account is not null and place < $4
    )
    select ${COLUMNS} from turn cross join lateral (
      select * from svc.refunds r where ${NEXT} and account_id = turn.account order by ${DUE_AT}, number limit 1
    ) next
    order by turn.place`,
};

export type RefundTurn = {
  readonly limit: number;
  readonly nowMs: number;
  /** Contract wallets with a pending refund. */
  readonly busyWallets: readonly string[];
  /** The account whose refund the lane sent last. */
  readonly lastAccount: string;
};

export async function loadRefundQueue(
  pool: pg.Pool,
  { network, relayer }: Lane,
  { index, count }: QueueShare,
  { limit, nowMs, busyWallets, lastAccount }: RefundTurn,
): Promise<readonly LaneItem[]> {
  const after = async (account: string, most: number) => {
    const values = [network, count, index, most, isoTime(nowMs), relayer, busyWallets, account];
    return (await pool.query<Row>({ ...LOAD_REFUNDS, values })).rows;
  };
  const rows = await after(lastAccount, limit);
  if (rows.length < limit && lastAccount !== '') {
    const first = await after('', limit - rows.length);
    rows.push(...first.filter(({ account_id }) => account_id <= lastAccount));
  }
  return rows.map(itemOf);
}

const LOAD_OF_BATCHES = {
  name: 'lane-load-batch-refunds',
  text: `select ${COLUMNS} from svc.refunds where batch_id = any ($1)`,
};

/** The refunds of these batches, whatever a final block decided about them meanwhile. */
export async function loadBatchRefunds(
  client: pg.ClientBase | pg.Pool,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, readonly LaneItem[]>> {
  const { rows } = await client.query<Row>({ ...LOAD_OF_BATCHES, values: [batchIds] });
  return new Map([...Map.groupBy(rows, (row) => row.batch_id ?? '')].map(([id, own]) => [id, own.map(itemOf)]));
}

export type RefundLink = { readonly item: LaneItem; readonly transactionId: string };

const LINKED = columnArrays<RefundLink>({
  account_id: ['text', ({ item }) => item.accountId],
  mode: ['text', ({ item }) => item.mode],
  id: ['text', ({ item }) => item.refund?.id ?? null],
  transaction_id: ['text', ({ transactionId }) => transactionId],
});
const LINK = {
  name: 'lane-link-refunds',
  text: `
    update svc.refunds r set transaction_id = linked.transaction_id, updated_at = $${LINKED.next}
    from ${LINKED.unnest('linked')}
    where r.account_id = linked.account_id and r.mode = linked.mode and r.id = linked.id
      and r.status ${sqlIs(REFUND_STATUS.sent)} and r.transaction_id is distinct from linked.transaction_id`,
};

/** Refunds among these name the transaction; payments are left out. */
export async function linkRefunds(client: pg.ClientBase, all: readonly RefundLink[], nowMs: number): Promise<void> {
  const links = all.filter(({ item }) => item.refund !== undefined);
  if (links.length > 0) await client.query({ ...LINK, values: [...LINKED.values(links), isoTime(nowMs)] });
}

const LEAVE_BATCH = {
  name: 'lane-refund-leaves-batch',
  text: `
    update svc.refunds set status = ${AGAIN.to}, relayer = null, batch_id = null, transaction_id = null, updated_at = $2
    where batch_id = $1 and status ${AGAIN.from}`,
};

/** Queues the refund of a batch that can never move its money. */
export async function leaveBatch(client: pg.ClientBase, batchId: string, nowMs: number): Promise<void> {
  await client.query({ ...LEAVE_BATCH, values: [batchId, isoTime(nowMs)] });
}

/** Of batches that this transaction marked as mined. */
export async function recordMinedRefunds(
  client: pg.ClientBase,
  found: readonly FoundBatch[],
  nowMs: number,
): Promise<void> {
  for (const { batch, mined } of found) {
    const [item] = batch.items;
    const [part] = mined.items;
    if (item === undefined || part === undefined) throw new Error(`batch ${batch.id} carries no refund`);
    if (part.outcome === 'settled') {
      await linkRefunds(client, [{ item, transactionId: mined.transactionId }], nowMs);
    } else {
      await leaveBatch(client, batch.id, nowMs);
      await refuse(client, item, part.outcome, nowMs);
    }
  }
}

/** Refunds that were not sent because the chain would refuse them. */
export async function refuseRefunds(
  client: pg.ClientBase,
  unsent: readonly UnsentItem[],
  nowMs: number,
): Promise<void> {
  for (const { item, outcome } of unsent) await refuse(client, item, outcome, nowMs);
}

async function refuse(
  client: pg.ClientBase,
  { accountId, mode, refund }: LaneItem,
  outcome: UnsentOutcome,
  nowMs: number,
): Promise<void> {
  const key = [accountId, mode, refund?.id];
  const { rows } = await client.query<{ refusals: number }>({
    name: 'lane-lock-refused-refund',
    text: `
      select refusals from svc.refunds
      where account_id = $1 and mode = $2 and id = $3 and status ${sqlIs(REFUND_STATUS.queued)} for no key update`,
    values: key,
  });
  const [row] = rows;
  if (row === undefined) return;
  const { refusal, retryAtMs } = refuseRefund(outcome, row.refusals, nowMs);
  await client.query({
    name: 'lane-refuse-refund',
    text: `
      update svc.refunds set refusal = $4, retry_at = $5, refusals = refusals + 1, updated_at = $6
      where account_id = $1 and mode = $2 and id = $3`,
    values: [...key, refusal, isoTime(retryAtMs), isoTime(nowMs)],
  });
}

const DEFER = {
  name: 'lane-defer-refunds',
  text: `
    update svc.refunds r set retry_at = $7
    from unnest($4::text[], $5::text[], $6::text[]) as item (account_id, mode, id)
    where r.account_id = item.account_id and r.mode = item.mode and r.id = item.id
      and r.status ${sqlIs(REFUND_STATUS.queued)}
      and exists (select from svc.relayers where network = $1 and address = $2 and epoch = $3)`,
};

export async function deferRefunds(
  pool: pg.Pool,
  { network, relayer, epoch }: LaneLease,
  items: readonly LaneItem[],
  untilMs: number,
): Promise<void> {
  const refunds = items.filter(({ refund }) => refund !== undefined);
  if (refunds.length === 0) return;
  await pool.query({
    ...DEFER,
    values: [
      network,
      relayer,
      epoch.toString(),
      refunds.map(({ accountId }) => accountId),
      refunds.map(({ mode }) => mode),
      refunds.map(({ refund }) => refund?.id),
      isoTime(untilMs),
    ],
  });
}

// Token ledgers as settlement reads them.
import {
  asideAs,
  blockName,
  type DueIcrcTransfer,
  type IcrcStore,
  type IcrcTransfer,
  isoTime,
  type KnownBlock,
  type LedgerCursor,
  type NamedForIntent,
  type NotifiedIntent,
  type PayableIntent,
  type ReadBlocks,
  receiptIndex,
  type StoredCursor,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlNotMoved } from '../database/not-moved.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { loadPaidTerms } from '../intent/late-terms.ts';
import { applyTransfer } from './apply-transfer.ts';

export function createIcrcStore(pool: pg.Pool): IcrcStore {
  return {
    loadCursor: (network, ledger) => loadCursor(pool, network, ledger),
    loadBeginning: (network) => loadBeginning(pool, network),
    openCursor: (cursor) => openCursor(pool, cursor),
    moveCursor: (cursor, read, nowMs) => inTransaction(pool, (client) => moveCursor(client, cursor, read, nowMs)),
    stopCursor: (cursor, nowMs) => stopCursor(pool, cursor, nowMs),
    findBlock: (block) => findBlock(pool, block),
    keep: (transfer, nowMs) => keep(pool, [transfer], nowMs),
    loadDue: (network, nowMs, limit) => loadDue(pool, network, nowMs, limit),
    apply: (transfer, nowMs) => inTransaction(pool, (client) => applyTransfer(client, transfer, nowMs)),
    defer: (transfer, nextTryAtMs) => defer(pool, transfer, nextTryAtMs),
    loadPayable: (asked) => inTransaction(pool, (client) => loadPayable(client, asked)),
  };
}

type CursorRow = {
  readonly next_index: string;
  readonly last_hash: Buffer | null;
  readonly read_at: Date | null;
  readonly stopped: boolean;
};

async function loadCursor(pool: pg.Pool, network: NetworkId, ledger: string): Promise<StoredCursor | undefined> {
  const { rows } = await pool.query<CursorRow>({
    name: 'load-icrc-cursor',
    text: `
      select next_index, last_hash, read_at, stopped_at is not null as stopped from svc.icrc_cursors
      where network = $1 and ledger = $2`,
    values: [network, ledger],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { next_index: nextIndex, last_hash: lastHash, stopped: isStopped, read_at: readAt } = row;
  return { network, ledger, nextIndex: BigInt(nextIndex), lastHash, isStopped, readAtMs: readAt?.getTime() ?? null };
}

async function loadBeginning(pool: pg.Pool, network: NetworkId): Promise<number | null> {
  const { rows } = await pool.query<{ first: Date | null }>({
    name: 'load-first-payout-time',
    text: 'select min(created_at) as first from svc.payouts where network = $1',
    values: [network],
  });
  return rows[0]?.first?.getTime() ?? null;
}

async function openCursor(pool: pg.Pool, { network, ledger, nextIndex, lastHash }: LedgerCursor): Promise<void> {
  await pool.query({
    name: 'open-icrc-cursor',
    text: `
      insert into svc.icrc_cursors (network, ledger, next_index, last_hash) values ($1, $2, $3, $4)
      on conflict do nothing`,
    values: [network, ledger, nextIndex.toString(), bytesOrNull(lastHash)],
  });
}

/**
 * The row is locked by the update, so that of two processes at one block the second finds the cursor elsewhere. The hash tells
 * a cursor that was reset, and opened anew at the same block, from the one that was loaded.
 */
async function moveCursor(
  client: pg.ClientBase,
  { network, ledger, nextIndex: before, lastHash: hashBefore }: LedgerCursor,
  { nextIndex, lastHash, transfers, wholeSinceMs }: ReadBlocks,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'move-icrc-cursor',
    text: `
      update svc.icrc_cursors
      set next_index = $4, last_hash = $5,
        read_at = case when stopped_at is null or next_index < $4 then greatest(read_at, $6::timestamptz) else read_at end,
        stopped_at = case when next_index < $4 then null else stopped_at end
      where network = $1 and ledger = $2 and next_index = $3 and last_hash is not distinct from $7`,
    values: [
      network,
      ledger,
      before.toString(),
      nextIndex.toString(),
      bytesOrNull(lastHash),
      wholeSinceMs === null ? null : isoTime(wholeSinceMs),
      bytesOrNull(hashBefore),
    ],
  });
  if (rowCount !== 1) return false;
  await keep(client, transfers, nowMs);
  return true;
}

async function stopCursor(
  pool: pg.Pool,
  { network, ledger, nextIndex, lastHash }: LedgerCursor,
  nowMs: number,
): Promise<void> {
  await pool.query({
    name: 'stop-icrc-cursor',
    text: `
      update svc.icrc_cursors set stopped_at = coalesce(stopped_at, $4)
      where network = $1 and ledger = $2 and next_index = $3 and last_hash is not distinct from $5`,
    values: [network, ledger, nextIndex.toString(), isoTime(nowMs), bytesOrNull(lastHash)],
  });
}

type BlockRow = {
  readonly code: string | null;
  readonly account: string | null;
  readonly intent_id: string | null;
  readonly refund_id: string | null;
  /** Of an unattributed receipt. */
  readonly reason: string | null;
};

/** What the block proves, what it was set aside as, or a transfer that waits: the first of them tells. */
const FIND_BLOCK = {
  name: 'find-icrc-block',
  text: `
    select intent_code as code, to_account as account, null as intent_id, null as refund_id, null as reason, null as place
    from svc.icrc_transfers where network = $1 and ledger = $2 and block_index = $3
    union all
    select null, proof.log ->> 'merchant', payment.intent_id, proof.refund_id, proof.reason, proof.log_index
    from svc.log_proofs proof
    left join svc.payments payment
      on payment.account_id = proof.account_id and payment.mode = proof.mode and payment.id = proof.payment_id
    where proof.network = $1 and proof.transaction_id = $4 and proof.log_index in (0, $5)
      and (proof.payment_id is null or payment.id is not null)
    order by place nulls last`,
};

async function findBlock(pool: pg.Pool, block: NamedForIntent): Promise<KnownBlock | undefined> {
  const { network, ledger, index, intentId, intentCode, accounts } = block;
  const values = [network, ledger, index.toString(), blockName(block), receiptIndex(intentCode)];
  const [row] = (await pool.query<BlockRow>({ ...FIND_BLOCK, values })).rows;
  if (row === undefined) return undefined;
  if (row.refund_id !== null) return 'refund';
  // Money with the memo of the intent at another payout's account is kept or set aside, and pays nothing.
  const isOfAccount = accounts.includes(row.account ?? '');
  if (row.reason !== null) return isOfAccount ? asideAs(row.reason) : undefined;
  if (row.code === null) return row.intent_id === intentId ? 'of_intent' : 'of_another_intent';
  if (row.code !== intentCode.toString()) return 'of_another_intent';
  return isOfAccount ? 'kept' : undefined;
}

const KEPT = columnArrays<IcrcTransfer>({
  network: ['text', ({ network }) => network],
  ledger: ['text', ({ ledger }) => ledger],
  block_index: ['bigint', ({ index }) => index.toString()],
  from_account: ['text', ({ from }) => from],
  to_account: ['text', ({ to }) => to],
  amount: ['numeric', ({ amountAtomic }) => amountAtomic.toString()],
  intent_code: ['bigint', ({ intentCode }) => intentCode.toString()],
  block_time: ['timestamptz', ({ blockTimeMs }) => isoTime(blockTimeMs)],
});
const COLUMNS = 'network, ledger, block_index, from_account, to_account, amount, intent_code, block_time';

const KEEP = {
  name: 'keep-icrc-transfers',
  text: `
    insert into svc.icrc_transfers (${COLUMNS}, found_at, next_try_at)
    select ${COLUMNS}, $9::timestamptz, $9::timestamptz from ${KEPT.unnest('found')}
    where exists (
      select from svc.payouts payout where payout.network = found.network and payout.processor = found.to_account
        and ${sqlNotMoved('payout.account_id')}
    )
    on conflict do nothing`,
};

async function keep(client: pg.Pool | pg.ClientBase, transfers: readonly IcrcTransfer[], nowMs: number): Promise<void> {
  if (transfers.length === 0) return;
  await client.query({ ...KEEP, values: [...KEPT.values(transfers), isoTime(nowMs)] });
}

type Row = {
  readonly ledger: string;
  readonly block_index: string;
  readonly from_account: string;
  readonly to_account: string;
  readonly amount: string;
  readonly intent_code: string;
  readonly block_time: Date;
  readonly tries: number;
};

async function loadDue(
  pool: pg.Pool,
  network: NetworkId,
  nowMs: number,
  limit: number,
): Promise<readonly DueIcrcTransfer[]> {
  const { rows } = await pool.query<Row>({
    name: 'load-due-icrc-transfers',
    text: `
      select ${COLUMNS}, tries from svc.icrc_transfers
      where network = $1 and next_try_at <= $2 order by next_try_at, block_index limit $3`,
    values: [network, isoTime(nowMs), limit],
  });
  return rows.map((row) => ({
    network,
    ledger: row.ledger,
    index: BigInt(row.block_index),
    from: row.from_account,
    to: row.to_account,
    amountAtomic: BigInt(row.amount),
    intentCode: BigInt(row.intent_code),
    blockTimeMs: row.block_time.getTime(),
    tries: row.tries,
  }));
}

async function defer(pool: pg.Pool, { network, ledger, index }: DueIcrcTransfer, nextTryAtMs: number): Promise<void> {
  await pool.query({
    name: 'defer-icrc-transfer',
    text: `
      update svc.icrc_transfers set tries = tries + 1, next_try_at = $4
      where network = $1 and ledger = $2 and block_index = $3`,
    values: [network, ledger, index.toString(), isoTime(nextTryAtMs)],
  });
}

async function loadPayable(client: pg.ClientBase, asked: NotifiedIntent): Promise<PayableIntent | undefined> {
  const { rows } = await client.query<{ intent_code: string }>({
    name: 'load-code-of-intent',
    text: 'select intent_code from svc.intents where account_id = $1 and mode = $2 and id = $3',
    values: [asked.accountId, asked.mode, asked.intentId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const intentCode = BigInt(row.intent_code);
  const offered = await loadPaidTerms(client, asked, intentCode);
  return { intentCode, ways: offered.map(({ network, token, payTo }) => ({ network, token: token.address, payTo })) };
}

const bytesOrNull = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes));

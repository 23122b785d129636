// Reads what logs prove, and what the chain reader knows, for a ledger check.
import {
  type BookedAuthorization,
  type BookedLog,
  type BookedLogUse,
  type BookedPaymentRow,
  type BookedReceipt,
  type DirectWallet,
  isIntentCode,
  type NamedReceipt,
  SETTLEMENT_STATUS,
} from '@svc-pay/core';
import type { PaymentStatus } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlNotMoved } from '../database/not-moved.ts';
import { sqlIs } from '../database/status-sql.ts';
import { type BookedDbRow, bookedRowOf, bookedRows } from './booked-row.ts';

const PAGE = 500;

const OF_TRANSACTIONS = bookedRows(`
  select paid.* from unnest($2::text[]) as asked (transaction_id)
  join svc.log_proofs proof on proof.network = $1 and proof.transaction_id = asked.transaction_id
    and proof.refund_id is null
  join svc.payments paid
    on paid.account_id = proof.account_id and paid.mode = proof.mode and paid.id = proof.payment_id`);

export async function readPaymentsOfTransactions(
  client: pg.ClientBase,
  network: string,
  transactionIds: readonly string[],
): Promise<readonly BookedPaymentRow[]> {
  if (transactionIds.length === 0) return [];
  const { rows } = await client.query<BookedDbRow>({
    name: 'ledger-payments-of-transactions',
    text: OF_TRANSACTIONS,
    values: [network, transactionIds],
  });
  return rows.map(bookedRowOf);
}

type LogUseRow = { readonly transaction_id: string; readonly log_index: number; readonly use: BookedLogUse['use'] };

export async function readLogUses(
  client: pg.ClientBase,
  network: string,
  logs: readonly BookedLog[],
): Promise<readonly BookedLogUse[]> {
  if (logs.length === 0) return [];
  const { rows } = await client.query<LogUseRow>({
    name: 'ledger-log-uses',
    text: `with asked as (
        select transaction_id, log_index from unnest($2::text[], $3::integer[]) as asked (transaction_id, log_index)
      )
      select p.transaction_id, p.log_index, case when p.payment_id is null then 'unattributed' else 'payment' end as use
      from asked join svc.log_proofs p
        on p.network = $1 and p.transaction_id = asked.transaction_id and p.log_index = asked.log_index
      union all
      select transaction_id, log_index, 'read' from asked
      where exists (
        select from svc.read_logs r where r.network = $1 and r.transaction_id = asked.transaction_id
      ) and not exists (
        select from svc.log_proofs p
        where p.network = $1 and p.transaction_id = asked.transaction_id and p.log_index = asked.log_index
      )`,
    values: [network, logs.map(({ transactionId }) => transactionId), logs.map(({ logIndex }) => logIndex)],
  });
  return rows.map(({ transaction_id, log_index, use }) => ({
    transactionId: transaction_id,
    logIndex: log_index,
    use,
  }));
}

type ReceiptRow = { readonly transaction_id: string; readonly log_index: number; readonly reason: string };

export async function* readUnattributed(
  client: pg.ClientBase,
  network: string,
): AsyncGenerator<readonly BookedReceipt[]> {
  let after: readonly [string, number] = ['', -1];
  for (;;) {
    const { rows } = await client.query<ReceiptRow>({
      name: 'ledger-unattributed',
      text: `select transaction_id, log_index, reason from svc.log_proofs
        where network = $1 and payment_id is null and (transaction_id, log_index) > ($2, $3)
        order by transaction_id, log_index limit ${PAGE}`,
      values: [network, ...after],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ transaction_id, log_index, reason }) => ({
      transactionId: transaction_id,
      logIndex: log_index,
      reason,
    }));
    if (rows.length < PAGE) return;
    after = [last.transaction_id, last.log_index];
  }
}

export async function readCursors(client: pg.ClientBase, network: string): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await client.query<{ address: string; block_number: string }>(
    'select address, block_number from svc.reader_cursors where network = $1',
    [network],
  );
  return new Map(rows.map(({ address, block_number }) => [address, BigInt(block_number)]));
}

export async function readDirectWallets(client: pg.ClientBase, network: string) {
  const { rows } = await client.query<DirectWallet>(
    `select distinct lower(merchant) as wallet, lower(asset) as asset from svc.payouts
     where network = $1 and kind = 'direct'`,
    [network],
  );
  if (rows.length === 0) return { wallets: [], firstBlock: undefined };
  const { rows: blocks } = await client.query<{ first: string | null }>(
    `select least(
       (select min(unused_at_block) from svc.authorizations where network = $1 and direct),
       (select min(unused_at_block) from svc.refused_authorizations where network = $1)
     ) as first`,
    [network],
  );
  const first = blocks[0]?.first ?? null;
  return { wallets: rows, firstBlock: first === null ? undefined : BigInt(first) };
}

type AuthorizationRow = {
  readonly claim_key: string;
  readonly recipient: string;
  readonly amount: string;
  readonly bound: boolean;
  readonly unused_at_block: string | null;
  readonly payment_id: string | null;
  readonly status: PaymentStatus | null;
};

/** A claim whose authorization is no longer kept is absent. */
export async function readAuthorizations(
  client: pg.ClientBase,
  claimKeys: readonly string[],
): Promise<readonly BookedAuthorization[]> {
  if (claimKeys.length === 0) return [];
  const { rows } = await client.query<AuthorizationRow>({
    name: 'ledger-authorizations',
    text: `with asked as (select decode(key, 'hex')::svc.digest as claim_key from unnest($1::text[]) as key)
      select encode(c.claim_key, 'hex') as claim_key, a.recipient, a.cap::text as amount, a.bound, a.unused_at_block,
        p.id as payment_id, p.status
      from asked join svc.claims c on c.claim_key = asked.claim_key
      join svc.authorizations a on a.account_id = c.account_id and a.mode = c.mode and a.intent_id = c.intent_id
        and a.claim_key = c.claim_key
      left join svc.payments p on p.account_id = c.account_id and p.mode = c.mode and p.id = c.payment_id
      where a.direct
      union all
      select distinct on (r.claim_key) encode(r.claim_key, 'hex'), r.recipient, r.amount::text, r.bound,
        r.unused_at_block, null::text, null::text
      from asked join svc.refused_authorizations r on r.claim_key = asked.claim_key
      where not exists (select from svc.claims c where c.claim_key = r.claim_key)`,
    values: [claimKeys],
  });
  return rows.map((row) => ({
    claimKey: row.claim_key,
    recipient: row.recipient,
    amountAtomic: BigInt(row.amount),
    bound: row.bound,
    unusedAtBlock: row.unused_at_block === null ? null : BigInt(row.unused_at_block),
    payment: row.payment_id === null || row.status === null ? null : { id: row.payment_id, status: row.status },
  }));
}

export async function readHeldForMerchant(client: pg.ClientBase, network: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ payment_id: string }>(
    `select payment_id from svc.settlements
     where network = $1 and status ${sqlIs(SETTLEMENT_STATUS.held)} and held_for_merchant order by number`,
    [network],
  );
  return rows.map(({ payment_id }) => payment_id);
}

export async function readOwnReceipts(
  client: pg.ClientBase,
  network: string,
  receipts: readonly NamedReceipt[],
): Promise<ReadonlySet<number>> {
  // A number that anybody may emit need not fit a Postgres bigint.
  const codes = receipts.map(({ intentCode }) => (isIntentCode(intentCode) ? intentCode.toString() : null));
  const payouts = receipts.map(({ payoutId }) => (payoutId < 1n << 63n ? payoutId.toString() : null));
  const { rows } = await client.query<{ index: string }>({
    name: 'ledger-own-receipts',
    text: `select index - 1 as index
      from unnest($2::bigint[], $3::text[], $4::bigint[]) with ordinality as asked (code, processor, payout, index)
      where exists (
          select from svc.intent_codes c where c.intent_code = asked.code and ${sqlNotMoved('c.account_id')}
        )
        or exists (
          select from svc.payouts t
          where t.network = $1 and t.processor = asked.processor and t.payout_id = asked.payout
            and ${sqlNotMoved('t.account_id')}
        )`,
    values: [network, codes, receipts.map(({ processor }) => processor), payouts],
  });
  return new Set(rows.map(({ index }) => Number(index)));
}

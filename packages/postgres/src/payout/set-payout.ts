// Sets who receives the money of an account on a network.
import {
  decidePayout,
  isoTime,
  normalizeAddress,
  type Payout,
  type PayoutFacts,
  type PayoutRequest,
  type PayoutSet,
} from '@svc-pay/core';
import type pg from 'pg';
import { lockAccountMode } from '../account/lock-account-mode.ts';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

export async function setPayout(operation: Operation, given: PayoutRequest): Promise<PayoutSet> {
  const { pool, nowMs, actor } = operation;
  const request = {
    ...given,
    processor: normalizeAddress(given.processor),
    merchant: normalizeAddress(given.merchant),
  };
  const { accountId, mode, status } = request;
  return inTransaction(pool, async (client): Promise<PayoutSet> => {
    if (!(await lockAccountMode(client, accountId, mode))) return { ok: false, code: 'account_unknown' };
    // Payout ids are unique per processor, across all accounts.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `svc.payouts ${request.network} ${request.processor}`,
    ]);
    const decided = decidePayout(request, await loadFacts(client, request));
    if (decided.step === 'refuse') return { ok: false, code: decided.code };
    if (decided.step === 'keep') return { ok: true, payout: decided.payout, change: 'none' };
    const created = decided.step === 'create';
    const payout = created
      ? await insertPayout(client, nowMs, request, decided.payoutId)
      : await changeStatus(client, decided.payout, status);
    await writeAudit(client, nowMs, {
      accountId,
      mode,
      actor,
      action: created ? 'payout.created' : 'payout.status_changed',
      target: `${payout.network}/${payout.processor}/${payout.payoutId}`,
      detail: {
        merchant: payout.merchant,
        feeBps: payout.feeBps,
        splits: payout.splits,
        status: payout.status,
      },
    });
    return { ok: true, payout, change: created ? 'created' : 'status' };
  });
}

/** Locks the payout: the registry mirror takes no account lock. */
async function loadFacts(client: pg.ClientBase, request: PayoutRequest): Promise<PayoutFacts> {
  const { network, processor, payoutId } = request;
  // Where the merchant is paid with nothing between, its earlier payouts have other merchants as their processors.
  const paysMerchant = processor === request.merchant;
  const { rows } = await client.query<PayoutDbRow>(
    `select ${PAYOUT_COLUMNS} from svc.payouts payout
     where network = $1 and (
         processor = $2 and payout.payout_id = $3
         or $3::bigint is null and account_id = $4 and mode = $5 and (processor = $2 or $6 and processor = merchant)
       )
     order by created_at desc, payout.payout_id desc limit 1 for update`,
    [network, processor, payoutId?.toString() ?? null, request.accountId, request.mode, paysMerchant],
  );
  const { rows: ids } = await client.query<{ highest: string | null }>(
    'select max(payout_id) as highest from svc.payouts where network = $1 and processor = $2',
    [network, processor],
  );
  return { found: rows[0] && payoutOf(rows[0]), highestId: BigInt(ids[0]?.highest ?? 0) };
}

const PAYOUT = namedParameters({
  account_id: 'text',
  mode: 'text',
  network: 'text',
  payout_id: 'bigint',
  processor: 'text',
  merchant: 'text',
  fee_bps: 'integer',
  splits: 'jsonb',
  status: 'text',
  created_at: 'timestamptz',
});
const INSERT_PAYOUT = `
    ${insertText('svc.payouts', PAYOUT.at)}
    returning ${PAYOUT_COLUMNS}`;

async function insertPayout(
  client: pg.ClientBase,
  nowMs: number,
  { accountId, mode, network, processor, merchant, terms, status }: PayoutRequest,
  payoutId: bigint,
): Promise<Payout> {
  const { rows } = await client.query<PayoutDbRow>(
    INSERT_PAYOUT,
    PAYOUT.values({
      account_id: accountId,
      mode,
      network,
      payout_id: payoutId.toString(),
      processor,
      merchant,
      fee_bps: terms.feeBps,
      splits: JSON.stringify(terms.splits),
      status,
      created_at: isoTime(nowMs),
    }),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an insert returned nothing');
  return payoutOf(row);
}

async function changeStatus(client: pg.ClientBase, payout: Payout, status: PayoutRequest['status']): Promise<Payout> {
  const { rowCount } = await client.query(
    `update svc.payouts set status = $5, compared = false
     where network = $1 and processor = $2 and payout_id = $3::bigint and status = $4`,
    [payout.network, payout.processor, payout.payoutId, payout.status, status],
  );
  if (rowCount !== 1) throw new Error(`payout ${payout.payoutId} of ${payout.processor} changed while it was locked`);
  return { ...payout, status };
}

// Terms of a payout id never change, because an open authorization may point at it: other terms are another id, and the
// newest active id is what new intents use.
import type { Mode } from '@svc-pay/core';
import type { PayoutTerms } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { writeAudit } from '../stores/write-audit.ts';
import { lockAccountMode } from './lock-account-mode.ts';
import type { Operation } from './operation.ts';
import { PAYOUT_COLUMNS, type Payout, type PayoutDbRow, payoutOf } from './payout-row.ts';

export type PayoutRequest = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly network: NetworkId;
  /** Stored in lower case where the network's addresses have none. */
  readonly processor: string;
  readonly merchant: string;
  readonly terms: PayoutTerms;
  readonly status: 'pending' | 'active';
  /** Left out: the id that these terms have, or else the next free one of the processor. */
  readonly payoutId?: bigint;
};

export type PayoutSet =
  | { readonly ok: true; readonly payout: Payout; readonly change: 'created' | 'status' | 'none' }
  | {
      readonly ok: false;
      readonly code: 'account_unknown' | 'payout_terms_fixed' | 'payout_of_other_account' | 'payout_disabled';
    };

export async function setPayout(operation: Operation, given: PayoutRequest): Promise<PayoutSet> {
  const { pool, nowMs, actor } = operation;
  const request = { ...given, processor: spelled(given.processor), merchant: spelled(given.merchant) };
  const { accountId, mode } = request;
  return inTransaction(pool, async (client): Promise<PayoutSet> => {
    if (!(await lockAccountMode(client, accountId, mode))) return { ok: false, code: 'account_unknown' };
    // Ids are given out per processor, over all accounts.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `svc.payouts ${request.network} ${request.processor}`,
    ]);
    const known = await findPayout(client, request);
    if (known !== undefined) {
      if (known.accountId !== accountId || known.mode !== mode) return { ok: false, code: 'payout_of_other_account' };
      if (!sameTerms(known, request)) return { ok: false, code: 'payout_terms_fixed' };
      // The chain has retired it, or is about to: switched on again it would offer what can't be settled.
      if (known.status === 'disabled') return { ok: false, code: 'payout_disabled' };
      // What is active stays so: a repeated `pending` must not take it from new intents.
      const unchanged = known.status === request.status || (known.status === 'active' && request.status === 'pending');
      if (unchanged) return { ok: true, payout: known, change: 'none' };
    }
    const payout =
      known === undefined
        ? await insertPayout(client, nowMs, request)
        : await changeStatus(client, known, request.status);
    await writeAudit(client, nowMs, {
      accountId,
      mode,
      actor,
      action: known === undefined ? 'payout.created' : 'payout.status_changed',
      target: `${payout.network}/${payout.processor}/${payout.payoutId}`,
      detail: {
        merchant: payout.merchant,
        feeBps: payout.feeBps,
        splits: payout.splits,
        status: payout.status,
      },
    });
    return { ok: true, payout, change: known === undefined ? 'created' : 'status' };
  });
}

const spelled = (address: string) => (address.startsWith('0x') ? address.toLowerCase() : address);

/** The id that is named; without a name the newest of the account, if its terms are these. */
async function findPayout(client: pg.ClientBase, request: PayoutRequest): Promise<Payout | undefined> {
  const { network, processor, payoutId } = request;
  const { rows } = await client.query<PayoutDbRow>(
    `select ${PAYOUT_COLUMNS} from svc.payouts payout
     where network = $1 and processor = $2 and (payout.payout_id = $3 or $3::bigint is null and account_id = $4 and mode = $5)
     order by created_at desc, payout.payout_id desc limit 1`,
    [network, processor, payoutId?.toString() ?? null, request.accountId, request.mode],
  );
  const [row] = rows;
  const found = row && payoutOf(row);
  if (found === undefined || payoutId !== undefined) return found;
  return found.status !== 'disabled' && sameTerms(found, request) ? found : undefined;
}

async function insertPayout(client: pg.ClientBase, nowMs: number, request: PayoutRequest): Promise<Payout> {
  const { accountId, mode, network, processor, merchant, terms, status, payoutId } = request;
  const { rows } = await client.query<PayoutDbRow>(
    `insert into svc.payouts as payout (
       account_id, mode, network, payout_id, processor, merchant, fee_bps, splits, status, created_at
     ) values (
       $1, $2, $3,
       coalesce($4::bigint, (select coalesce(max(payout_id), 0) + 1 from svc.payouts where network = $3 and processor = $5)),
       $5, $6, $7, $8, $9, $10
     ) returning ${PAYOUT_COLUMNS.replace('payout_id::', 'payout.payout_id::')}`,
    [
      accountId,
      mode,
      network,
      payoutId?.toString() ?? null,
      processor,
      merchant,
      terms.feeBps,
      JSON.stringify(terms.splits),
      status,
      new Date(nowMs),
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an insert returned nothing');
  return payoutOf(row);
}

async function changeStatus(client: pg.ClientBase, payout: Payout, status: PayoutRequest['status']): Promise<Payout> {
  await client.query(
    'update svc.payouts set status = $4 where network = $1 and processor = $2 and payout_id = $3::bigint',
    [payout.network, payout.processor, payout.payoutId, status],
  );
  return { ...payout, status };
}

function sameTerms(payout: Payout, { merchant, terms }: PayoutRequest): boolean {
  const key = (splits: Payout['splits']) => JSON.stringify(splits.map(({ to, bps }) => [to, bps]));
  return payout.merchant === merchant && payout.feeBps === terms.feeBps && key(payout.splits) === key(terms.splits);
}

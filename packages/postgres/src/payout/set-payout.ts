// The terms of a payout id never change, because an open authorization may refer to it. Other terms get another id, and
// new intents use the newest active id.
import { isoTime, type Mode, normalizeAddress } from '@svc-pay/core';
import type { PayoutTerms } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { lockAccountMode } from '../account/lock-account-mode.ts';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { PAYOUT_COLUMNS, type Payout, type PayoutDbRow, payoutOf } from './payout-row.ts';

export type PayoutRequest = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly network: NetworkId;
  /** Stored in lower case if the network's addresses are case-insensitive. */
  readonly processor: string;
  readonly merchant: string;
  readonly terms: PayoutTerms;
  readonly status: 'pending' | 'active';
  /** Default: the id that already has these terms, or else the processor's next free id. */
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
  const request = {
    ...given,
    processor: normalizeAddress(given.processor),
    merchant: normalizeAddress(given.merchant),
  };
  const { accountId, mode } = request;
  return inTransaction(pool, async (client): Promise<PayoutSet> => {
    if (!(await lockAccountMode(client, accountId, mode))) return { ok: false, code: 'account_unknown' };
    // Payout ids are unique per processor, across all accounts.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `svc.payouts ${request.network} ${request.processor}`,
    ]);
    const known = await findPayout(client, request);
    if (known !== undefined) {
      if (known.accountId !== accountId || known.mode !== mode) return { ok: false, code: 'payout_of_other_account' };
      if (!sameTerms(known, request)) return { ok: false, code: 'payout_terms_fixed' };
      // The chain has retired the payout or is about to. If enabled again, it would offer what cannot be settled.
      if (known.status === 'disabled') return { ok: false, code: 'payout_disabled' };
      // An active payout stays active: a repeated `pending` must not withdraw it from new intents.
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

/**
 * The payout with the requested id. Without an id: the account's
 * newest payout, if it is not disabled and has these terms.
 */
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
const { network: onNetwork, processor: ofProcessor } = PAYOUT.at;
const NEXT_ID = `(
      select coalesce(max(payout_id), 0) + 1 from svc.payouts where network = ${onNetwork} and processor = ${ofProcessor}
    )`;
const INSERT_PAYOUT = `
    ${insertText('svc.payouts as payout', { ...PAYOUT.at, payout_id: `coalesce(${PAYOUT.at.payout_id}, ${NEXT_ID})` })}
    returning ${PAYOUT_COLUMNS.replace('payout_id::', 'payout.payout_id::')}`;

async function insertPayout(client: pg.ClientBase, nowMs: number, request: PayoutRequest): Promise<Payout> {
  const { accountId, mode, network, processor, merchant, terms, status, payoutId } = request;
  const { rows } = await client.query<PayoutDbRow>(
    INSERT_PAYOUT,
    PAYOUT.values({
      account_id: accountId,
      mode,
      network,
      payout_id: payoutId?.toString() ?? null,
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

// Writes the activation of a direct payout. The caller has checked both signatures; API and settlement check them again at
// every use.
import {
  type ActivationProblem,
  decideActivation,
  isoTime,
  PAYOUT_STATUS,
  type Payout,
  type PayoutActivation,
  storedActivation,
} from '@svc-pay/core';
import type pg from 'pg';
import { lockAccountMode } from '../account/lock-account-mode.ts';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { loadActivationFacts } from './activation-facts.ts';
import { lockDirectPayouts } from './lock-direct-payouts.ts';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

export type ActivatedPayout =
  | { readonly ok: true; readonly payout: Payout; readonly change: 'created' | 'none' }
  | { readonly ok: false; readonly code: ActivationProblem | 'account_unknown' };

export async function activatePayout(
  { pool, nowMs, actor }: Operation,
  activation: PayoutActivation,
  { delayMs }: { readonly delayMs: number },
): Promise<ActivatedPayout> {
  const { accountId, mode, network, wallet, number } = activation;
  return inTransaction(pool, async (client): Promise<ActivatedPayout> => {
    if (!(await lockAccountMode(client, accountId, mode))) return { ok: false, code: 'account_unknown' };
    await lockDirectPayouts(client, network);
    const decided = decideActivation(activation, await loadActivationFacts(client, activation, { nowMs, delayMs }));
    if (decided.step === 'refuse') return { ok: false, code: decided.code };
    if (decided.step === 'keep') return { ok: true, payout: await loadPayout(client, activation), change: 'none' };
    const payout = await insertDirect(client, activation, decided.activeFromMs, nowMs);
    const { asset, use, replaces, approver } = activation;
    await writeAudit(client, nowMs, {
      accountId,
      mode,
      actor,
      action: 'payout.activated',
      target: `${network}/${wallet}/${number}`,
      detail: { asset, use, replaces, approver, activeFrom: isoTime(decided.activeFromMs) },
    });
    return { ok: true, payout, change: 'created' };
  });
}

async function loadPayout(client: pg.ClientBase, { network, wallet, number }: PayoutActivation): Promise<Payout> {
  const { rows } = await client.query<PayoutDbRow>(
    `select ${PAYOUT_COLUMNS} from svc.payouts where network = $1 and processor = $2 and payout_id = $3`,
    [network, wallet, number.toString()],
  );
  return onlyPayout(rows);
}

const DIRECT = namedParameters({
  account_id: 'text',
  mode: 'text',
  network: 'text',
  payout_id: 'bigint',
  processor: 'text',
  merchant: 'text',
  fee_bps: 'integer',
  status: 'text',
  kind: 'text',
  asset: 'text',
  activation: 'jsonb',
  active_from: 'timestamptz',
  created_at: 'timestamptz',
});
const INSERT_DIRECT = `
    ${insertText('svc.payouts', DIRECT.at)}
    returning ${PAYOUT_COLUMNS}`;

async function insertDirect(
  client: pg.ClientBase,
  activation: PayoutActivation,
  activeFromMs: number,
  nowMs: number,
): Promise<Payout> {
  const { rows } = await client.query<PayoutDbRow>(
    INSERT_DIRECT,
    DIRECT.values({
      account_id: activation.accountId,
      mode: activation.mode,
      network: activation.network,
      payout_id: activation.number.toString(),
      processor: activation.wallet,
      merchant: activation.wallet,
      fee_bps: 0,
      status: PAYOUT_STATUS.active,
      kind: 'direct',
      asset: activation.asset,
      activation: JSON.stringify(storedActivation(activation)),
      active_from: isoTime(activeFromMs),
      created_at: isoTime(nowMs),
    }),
  );
  return onlyPayout(rows);
}

function onlyPayout([row]: readonly PayoutDbRow[]): Payout {
  if (row === undefined) throw new Error('a direct payout was neither found nor written');
  return payoutOf(row);
}

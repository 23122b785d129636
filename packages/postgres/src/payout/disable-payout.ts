// Ends a direct payout, or one on a network without a registry, at once, and the wallets that it replaced: new intents do not offer them, and no
// payment to them is accepted or sent any more.
import { decideDisabledPayout, PAYOUT_STATUS, type Payout } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { inOperation } from '../audit/standing.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { sqlIsNot } from '../database/status-sql.ts';
import { lockDirectPayouts } from './lock-direct-payouts.ts';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

export type PayoutToDisable = { readonly accountId: string; readonly network: string; readonly payoutId: bigint };

export type DisabledPayout =
  /** The payout that was named, then those that ended with it. */
  | { readonly ok: true; readonly payouts: readonly [Payout, ...Payout[]]; readonly change: 'status' | 'none' }
  | { readonly ok: false; readonly code: 'payout_unknown' | 'payout_of_processor' };

export async function disablePayout(operation: Operation, wanted: PayoutToDisable): Promise<DisabledPayout> {
  const { nowMs, actor } = operation;
  return inOperation(operation, async (client): Promise<DisabledPayout> => {
    await lockDirectPayouts(client, wanted.network);
    const { rows } = await client.query<PayoutDbRow>(
      `select ${PAYOUT_COLUMNS} from svc.payouts
       where account_id = $1 and network = $2 and payout_id = $3
       order by kind = 'direct' desc, created_at desc limit 1 for update`,
      [wanted.accountId, wanted.network, wanted.payoutId.toString()],
    );
    const found = rows[0] && payoutOf(rows[0]);
    const decided = decideDisabledPayout(found, found === undefined ? [] : await loadEarlier(client, found), nowMs);
    if (decided.step === 'refuse') return { ok: false, code: decided.code };
    if (decided.step === 'keep') return { ok: true, payouts: [decided.payout], change: 'none' };
    const status = PAYOUT_STATUS.disabled;
    for (const payout of decided.payouts) {
      await client.query(
        `update svc.payouts set status = $4
         where network = $1 and processor = $2 and payout_id = $3 and status = $5`,
        [payout.network, payout.processor, payout.payoutId, status, payout.status],
      );
      await writeAudit(client, nowMs, {
        accountId: payout.accountId,
        mode: payout.mode,
        actor,
        action: 'payout.disabled',
        target: `${payout.network}/${payout.processor}/${payout.payoutId}`,
        detail: { from: payout.status },
      });
    }
    const [named, ...others] = decided.payouts.map((payout): Payout => ({ ...payout, status }));
    if (named === undefined) throw new Error('nothing was disabled');
    return { ok: true, payouts: [named, ...others], change: 'status' };
  });
}

/**
 * Of the same account, mode and network, newest first. Direct payouts are one for each token, and their numbers rise. Others
 * have numbers of their own under each fee account or merchant, and intents use the newest.
 */
async function loadEarlier(client: pg.ClientBase, found: Payout): Promise<readonly Payout[]> {
  const { accountId, mode, network, processor, payoutId, direct } = found;
  const which = direct
    ? "kind = 'direct' and asset = $4 and payout.payout_id < $5"
    : `kind = 'processor' and (created_at, payout.payout_id) < (
         select named.created_at, named.payout_id from svc.payouts named
         where named.network = $3 and named.processor = $4 and named.payout_id = $5
       )`;
  const { rows } = await client.query<PayoutDbRow>(
    `select ${PAYOUT_COLUMNS} from svc.payouts payout
     where account_id = $1 and mode = $2 and network = $3 and ${which} and status ${sqlIsNot(PAYOUT_STATUS.disabled)}
     order by created_at desc, payout.payout_id desc for update`,
    [accountId, mode, network, direct?.asset ?? processor, payoutId],
  );
  return rows.map(payoutOf);
}

// Whether the payouts of an account can go to the other cell. A direct payment is found by its transfer to the merchant's wallet, and
// each cell claims authorizations for itself: with payouts to one wallet in two cells, both could take one transfer for theirs.
// Every direct payout counts that is not disabled: its row is written only when the wallet has signed for it.
import { ACCOUNT_STATUS, PAYOUT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIsNot } from '../database/status-sql.ts';

export type PayoutRefusal = 'wallet_shared' | 'payout_in_target';

type OwnPayout = {
  readonly network: string;
  readonly processor: string;
  readonly payout_id: string;
  readonly in_force: boolean;
};

const IN_FORCE = `payout.kind = 'direct' and payout.status ${sqlIsNot(PAYOUT_STATUS.disabled)}`;

const LOAD_OWN = `
  select network, processor, payout_id, ${IN_FORCE} as in_force from svc.payouts payout where account_id = $1`;

const IS_WALLET_USED = `
  select from svc.payouts payout join svc.accounts owner on owner.id = payout.account_id
  where payout.account_id <> $1 and ${IN_FORCE}
    and owner.status ${sqlIsNot(ACCOUNT_STATUS.closed, ACCOUNT_STATUS.moved)}
    and (payout.network, payout.processor) in (select * from unnest($2::text[], $3::text[]))
  limit 1`;

const IS_PAYOUT_THERE = `
  select from svc.payouts payout
  where (payout.network, payout.processor, payout.payout_id) in (select * from unnest($1::text[], $2::text[], $3::bigint[]))
  limit 1`;

/** An account that has left does not wait for a wallet: only a row with its very number would keep it from arriving. */
export async function comparePayouts(
  source: pg.Pool,
  target: pg.Pool,
  accountId: string,
  left: boolean,
): Promise<PayoutRefusal | undefined> {
  const { rows: own } = await source.query<OwnPayout>(LOAD_OWN, [accountId]);
  const columns = (payouts: readonly OwnPayout[]) => [
    payouts.map(({ network }) => network),
    payouts.map(({ processor }) => processor),
  ];
  const wallets = columns(own.filter(({ in_force }) => in_force));
  for (const cell of left ? [] : [source, target]) {
    const { rowCount } = await cell.query(IS_WALLET_USED, [accountId, ...wallets]);
    if (rowCount !== 0) return 'wallet_shared';
  }
  const ids = own.map(({ payout_id }) => payout_id);
  const { rowCount } = await target.query(IS_PAYOUT_THERE, [...columns(own), ids]);
  return rowCount === 0 ? undefined : 'payout_in_target';
}

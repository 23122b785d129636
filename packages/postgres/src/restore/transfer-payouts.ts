// Payouts of a network whose payers sign whole transactions.
import { type OwnedPayout, PAYOUT_STATUS, type TransferPayout } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIsNot } from '../database/status-sql.ts';

type Row = Omit<OwnedPayout, 'payoutId'> & { readonly payoutId: string };

const COLUMNS = `account_id as "accountId", mode, payout_id as "payoutId", merchant, processor as "feeRecipient",
  fee_bps as "feeBps", splits`;

const payoutOf = ({ payoutId, ...row }: Row): OwnedPayout => ({ ...row, payoutId: BigInt(payoutId) });

/** In the order in which they were set. A pending payout was not paid to yet. */
export async function loadTransferPayouts(pool: pg.Pool, network: NetworkId): Promise<readonly TransferPayout[]> {
  const { rows } = await pool.query<Row>(
    `select ${COLUMNS} from svc.payouts where network = $1 and status ${sqlIsNot(PAYOUT_STATUS.pending)} order by created_at, payout_id`,
    [network],
  );
  return rows.map(payoutOf);
}

export async function loadOwnedPayouts(
  client: pg.ClientBase,
  network: NetworkId,
  payouts: readonly TransferPayout[],
): Promise<readonly OwnedPayout[]> {
  const { rows } = await client.query<Row>({
    name: 'restore-owned-payouts',
    text: `
      select ${COLUMNS} from svc.payouts
      where network = $1 and (processor, payout_id) in (select * from unnest($2::text[], $3::bigint[]))
      order by created_at, payout_id`,
    values: [
      network,
      payouts.map(({ feeRecipient }) => feeRecipient),
      payouts.map(({ payoutId }) => payoutId.toString()),
    ],
  });
  return rows.map(payoutOf);
}

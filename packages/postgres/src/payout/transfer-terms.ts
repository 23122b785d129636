// Payout and relayer of a payment by a signed Solana transaction.
import type { Caller, PayoutName, StoredPayout } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';

const LOAD = {
  name: 'load-stored-payout',
  text: `
    select merchant, processor, fee_bps, splits from svc.payouts
    where account_id = $1 and mode = $2 and network = $3 and payout_id = $4 and merchant = $5 and status <> 'pending'
    order by processor = $6 desc, created_at desc limit 1`,
};

export async function loadStoredPayout(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  { network, payoutId, merchant, feeRecipient }: PayoutName,
): Promise<StoredPayout | undefined> {
  const { rows } = await pool.query<{
    merchant: string;
    processor: string;
    fee_bps: number;
    splits: StoredPayout['splits'];
  }>({ ...LOAD, values: [accountId, mode, network, payoutId.toString(), merchant, feeRecipient] });
  const [row] = rows;
  if (row === undefined) return undefined;
  return { merchant: row.merchant, feeRecipient: row.processor, feeBps: row.fee_bps, splits: row.splits };
}

const CHOOSE = {
  name: 'choose-relayer',
  text: `
    select address from svc.relayers
    where network = $1 and mode = $2 and status = 'active' and duty = 'settle' and condition in ('fine', 'low')
    order by md5(address || $3) limit 1`,
};

/** A relayer that can pay for transactions now. The same intent gets the same relayer while the set does not change. */
export async function chooseRelayer(
  pool: pg.Pool,
  { mode }: Caller,
  network: NetworkId,
  intentId: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ address: string }>({ ...CHOOSE, values: [network, mode, intentId] });
  return rows[0]?.address;
}

/** True if the relayer is active on the network. */
export async function isActiveRelayer(
  pool: pg.Pool,
  { mode }: Caller,
  network: NetworkId,
  relayer: string,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'is-active-relayer',
    text: `select from svc.relayers
      where network = $1 and mode = $2 and address = $3 and status = 'active' and duty = 'settle'`,
    values: [network, mode, relayer],
  });
  return rowCount === 1;
}

// Payout and relayer of a payment by a signed Solana transaction.
import {
  type Caller,
  canSettle,
  chooseRelayer,
  type Mode,
  type PayoutName,
  type RelayerToChoose,
  type StoredPayout,
} from '@svc-pay/core';
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
  pool: pg.Pool | pg.ClientBase,
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
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

const RELAYERS = {
  name: 'load-relayers-to-choose',
  text: 'select address, status, duty, condition from svc.relayers where network = $1 and mode = $2',
};

async function loadRelayers(pool: pg.Pool, mode: Mode, network: NetworkId): Promise<readonly RelayerToChoose[]> {
  const { rows } = await pool.query<RelayerToChoose>({ ...RELAYERS, values: [network, mode] });
  return rows;
}

export async function findRelayer(
  pool: pg.Pool,
  { mode }: Pick<Caller, 'mode'>,
  network: NetworkId,
  intentId: string,
): Promise<string | undefined> {
  return chooseRelayer(await loadRelayers(pool, mode, network), intentId);
}

export async function isSettlingRelayer(
  pool: pg.Pool,
  { mode }: Pick<Caller, 'mode'>,
  network: NetworkId,
  relayer: string,
): Promise<boolean> {
  return (await loadRelayers(pool, mode, network)).some((one) => one.address === relayer && canSettle(one));
}

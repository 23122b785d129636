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
import { PAYOUT_WITHDRAWN } from './withdrawn.ts';

const LOAD = {
  name: 'load-stored-payouts',
  text: `
    select merchant, processor as "feeRecipient", fee_bps as "feeBps", splits, ${PAYOUT_WITHDRAWN('payout')} as withdrawn
    from svc.payouts payout
    where account_id = $1 and mode = $2 and network = $3 and payout_id = $4 and merchant = $5
    order by processor = $6 desc, created_at desc`,
};

type Owner = Pick<Caller, 'accountId' | 'mode'>;

/** Those that were ever offered under the name, the preferred fee recipient first. */
export async function loadStoredPayouts(
  pool: pg.Pool | pg.ClientBase,
  { accountId, mode }: Owner,
  { network, payoutId, merchant, feeRecipient }: PayoutName,
): Promise<readonly (StoredPayout & { readonly withdrawn: boolean })[]> {
  const { rows } = await pool.query<StoredPayout & { readonly withdrawn: boolean }>({
    ...LOAD,
    values: [accountId, mode, network, payoutId.toString(), merchant, feeRecipient],
  });
  return rows;
}

/** One that may be offered and settled. */
export async function loadStoredPayout(
  pool: pg.Pool | pg.ClientBase,
  owner: Owner,
  name: PayoutName,
): Promise<StoredPayout | undefined> {
  const found = (await loadStoredPayouts(pool, owner, name)).find(({ withdrawn }) => !withdrawn);
  if (found === undefined) return undefined;
  const { withdrawn: _, ...payout } = found;
  return payout;
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

// Payout and relayer of a payment by a signed Solana transaction. Those of many payments are found by one statement.
import type { Caller, Mode, PayoutName, RelayerToChoose, StoredPayout } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { NOT_MERGED } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { PAYOUT_WITHDRAWN } from './withdrawn.ts';

type Owner = Pick<Caller, 'accountId' | 'mode'>;
export type WantedPayout = { readonly owner: Owner; readonly name: PayoutName };

const WANTED = columnArrays<WantedPayout>({
  account_id: ['text', ({ owner }) => owner.accountId],
  mode: ['text', ({ owner }) => owner.mode],
  network: ['text', ({ name }) => name.network],
  payout_id: ['bigint', ({ name }) => name.payoutId.toString()],
  merchant: ['text', ({ name }) => name.merchant],
  preferred: ['text', ({ name }) => name.feeRecipient],
});
const LOAD = {
  name: 'load-stored-payouts',
  text: `
    select wanted.place::integer as place, payout.*
    from ${WANTED.unnestWithPlace('wanted')}
    cross join lateral (
      select merchant, processor as "feeRecipient", fee_bps as "feeBps", splits,
        ${PAYOUT_WITHDRAWN('payout')} as withdrawn, processor = wanted.preferred as is_preferred, created_at
      from svc.payouts payout
      where payout.account_id = wanted.account_id and payout.mode = wanted.mode and payout.network = wanted.network
        and payout.payout_id = wanted.payout_id and payout.merchant = wanted.merchant
      ${NOT_MERGED}
    ) payout
    order by wanted.place, payout.is_preferred desc, payout.created_at desc`,
};

type OfferedPayout = StoredPayout & { readonly withdrawn: boolean };

/** In the order of `wanted`: those that were ever offered under the name, the preferred fee recipient first. */
async function loadPayoutsOfMany(
  pool: pg.Pool | pg.ClientBase,
  wanted: readonly WantedPayout[],
): Promise<readonly (readonly OfferedPayout[])[]> {
  const values = WANTED.values(wanted);
  const { rows } = await pool.query<OfferedPayout & { readonly place: number }>({ ...LOAD, values });
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return wanted.map((_, index) =>
    (byPlace.get(index + 1) ?? []).map(({ merchant, feeRecipient, feeBps, splits, withdrawn }) => ({
      merchant,
      feeRecipient,
      feeBps,
      splits,
      withdrawn,
    })),
  );
}

export async function loadStoredPayouts(
  pool: pg.Pool | pg.ClientBase,
  owner: Owner,
  name: PayoutName,
): Promise<readonly OfferedPayout[]> {
  const [found = []] = await loadPayoutsOfMany(pool, [{ owner, name }]);
  return found;
}

/** In the order of `wanted`: one that may be offered and settled. */
export async function loadStoredPayoutOfMany(
  pool: pg.Pool,
  wanted: readonly WantedPayout[],
): Promise<readonly (StoredPayout | undefined)[]> {
  return (await loadPayoutsOfMany(pool, wanted)).map((payouts) => {
    const found = payouts.find(({ withdrawn }) => !withdrawn);
    if (found === undefined) return undefined;
    const { withdrawn: _, ...payout } = found;
    return payout;
  });
}

export type RelayerPlace = { readonly mode: Mode; readonly network: NetworkId };

const RELAYERS = {
  name: 'load-relayers-to-choose',
  text: `
    select network, mode, address, status, duty, condition from svc.relayers
    where network = any ($1::text[]) and mode = any ($2::text[])`,
};

/** In the order of `places`. All who ask at one moment mostly ask for the same place. */
export async function loadRelayersOfMany(
  pool: pg.Pool,
  places: readonly RelayerPlace[],
): Promise<readonly (readonly RelayerToChoose[])[]> {
  const values = [[...new Set(places.map(({ network }) => network))], [...new Set(places.map(({ mode }) => mode))]];
  const { rows } = await pool.query<RelayerToChoose & RelayerPlace>({ ...RELAYERS, values });
  const byPlace = Map.groupBy(rows, ({ network, mode }) => `${network} ${mode}`);
  return places.map(({ network, mode }) => byPlace.get(`${network} ${mode}`) ?? []);
}

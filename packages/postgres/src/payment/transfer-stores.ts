// What a payment by a signed Solana transaction asks of the database, in groups.
import { type Clock, canSettle, chooseRelayer, type TransferStores } from '@svc-pay/core';
import type pg from 'pg';
import { type CoalesceOptions, coalesceQueries } from '../database/coalesce-queries.ts';
import {
  loadRelayersOfMany,
  loadStoredPayoutOfMany,
  type RelayerPlace,
  type WantedPayout,
} from '../payout/transfer-terms.ts';
import {
  findPreparedOfMany,
  type PreparedToStore,
  storePreparedOfMany,
  type WantedPrepared,
} from './prepared-transfers.ts';

type Sizes = Pick<CoalesceOptions<unknown>, 'concurrent' | 'most'>;
/** Sizes of groups: of reads, and of writes that may wait for a lock. */
type TransferGroups = { readonly reads: Sizes; readonly writes: Sizes };

export function createTransferStores(pool: pg.Pool, clock: Clock, { reads, writes }: TransferGroups): TransferStores {
  const store = coalesceQueries(writes, (given: readonly PreparedToStore[]) => storePreparedOfMany(pool, given));
  const find = coalesceQueries(reads, (wanted: readonly WantedPrepared[]) => findPreparedOfMany(pool, wanted));
  const payout = coalesceQueries(reads, (wanted: readonly WantedPayout[]) => loadStoredPayoutOfMany(pool, wanted));
  const relayers = coalesceQueries(reads, (places: readonly RelayerPlace[]) => loadRelayersOfMany(pool, places));
  return {
    storePrepared: (caller, intentId, prepared) => store({ caller, intentId, prepared, nowMs: clock.nowMs() }),
    findPrepared: (caller, intentId, payer, blockhash) => find({ caller, intentId, payer, blockhash }),
    loadStoredPayout: (owner, name) => payout({ owner, name }),
    chooseRelayer: async ({ mode }, network, intentId) => chooseRelayer(await relayers({ mode, network }), intentId),
    isSettlingRelayer: async ({ mode }, network, relayer) =>
      (await relayers({ mode, network })).some((one) => one.address === relayer && canSettle(one)),
  };
}

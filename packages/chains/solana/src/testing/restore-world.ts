// A Solana lane whose database is backed up, and the restore from its chain.
import { type ChainRestoreResult, type NetworkRestore, restoreFromChain, systemClock } from '@svc-pay/core';
import { createLaneStore, createRestoreStore } from '@svc-pay/postgres/restore';
import { createTestDatabase, createTestIntent, type TestDatabase } from '@svc-pay/postgres/testing';
import type { Id } from '@svc-pay/protocol/ids';
import { onTestFinished } from 'vitest';
import { createTransferRestoreChain } from '../restore/restore-chain.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { AMOUNT, createSolanaLaneWorld, type SolanaLaneWorld } from './lane-world.ts';

export type World = SolanaLaneWorld & { readonly database: TestDatabase };

export async function world(): Promise<World> {
  const database = await createTestDatabase();
  const lane = await createSolanaLaneWorld(database.pool);
  onTestFinished(() => lane.chain.stop());
  return { ...lane, database };
}

/** An intent that offers the world's Solana acceptance. */
export async function offer({ pool, caller, acceptance }: World): Promise<Id<'paymentIntent'>> {
  const intentId = await createTestIntent(pool, caller);
  const { network, token, payTo, amount, payoutId } = acceptance;
  await pool.query(
    `insert into svc.acceptances (account_id, mode, intent_id, position, scheme, network, token_shortcode, asset, pay_to,
       amount, payout_id, max_timeout_seconds, usd_per_token_atto, rate_source, rate_observed_at, body)
     select $1, 'test', $2, 9, 'exact', $3, $4, $5, $6, $7, $8, 60, usd_per_token_atto, rate_source, rate_observed_at, '{}'
     from svc.acceptances where intent_id = $2 limit 1`,
    [
      caller.accountId,
      intentId,
      network,
      token.shortcode,
      token.address,
      payTo,
      amount.toString(),
      payoutId.toString(),
    ],
  );
  return intentId;
}

type RestoreOptions = {
  readonly nodes?: readonly SolanaNode[];
  readonly fromBlock?: bigint;
  readonly lostRelayers?: readonly string[];
  /** Dies before this transfer, counted from 0, is restored. */
  readonly dieBefore?: number;
};

export class Killed extends Error {}

export async function restore(
  lane: World,
  { pool }: TestDatabase,
  { nodes = [lane.node], fromBlock = 0n, lostRelayers = [], dieBefore }: RestoreOptions = {},
): Promise<ChainRestoreResult> {
  const store = createRestoreStore(pool, { clock: systemClock, actor: 'operator:test' });
  let restored = 0;
  const { network } = lane.lane;
  return restoreFromChain({
    store: {
      ...store,
      restoreTransfer: (...given) => {
        if (restored++ === dieBefore) throw new Killed();
        return store.restoreTransfer(...given);
      },
    },
    laneStore: createLaneStore(pool, { clock: systemClock, gasCoinRate: () => undefined }),
    strandedLaneStore: createLaneStore(pool, { clock: systemClock, gasCoinRate: () => undefined }),
    chains: [],
    transferNetworks: [{ network, transfers: createTransferRestoreChain(nodes, network), lostRelayers }],
    fromBlock: fromBlock < 0n ? undefined : fromBlock,
    patienceMs: 1_000,
    expiryPatienceMs: 60_000,
    pause: async () => lane.chain.ledger.advance(40n),
    note: () => {},
  });
}

export function networkOf(result: ChainRestoreResult): NetworkRestore {
  if (!result.ok) throw new Error(result.code);
  const [network] = result.networks;
  if (network === undefined) throw new Error('no network was restored');
  return network;
}

const BOOKS = `
  select coalesce(sum(amount) filter (where account_name = 'payer'), 0)::text as paid,
    count(distinct payment_id)::integer as payments,
    (select count(*)::integer from svc.events where type = 'payment.completed') as told
  from svc.ledger_entries where asset <> 'native'`;
export const booksOf = async ({ pool }: TestDatabase) => (await pool.query(BOOKS)).rows[0];
export const once = (count: number) => ({ paid: (-AMOUNT * BigInt(count)).toString(), payments: count, told: count });
export const statusesOf = async ({ pool }: TestDatabase) =>
  (await pool.query<{ id: string; status: string }>('select id, status from svc.intents order by intent_code')).rows;

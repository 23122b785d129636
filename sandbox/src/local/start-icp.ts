// Internet Computer of the development world: real canisters in this process, with the ledger of ckUSDC at the address that the
// catalogue has for it. Starts empty every time.
import { TOKENS } from '@svc-pay/core';
import {
  accountNamed,
  compileLedger,
  identityNamed,
  type LocalInternetComputer,
  startLocalInternetComputer,
} from '@svc-pay/icp/local';
import type { DevSecrets } from './secrets.ts';
import type { DevDatabase } from './start-database.ts';

export const ICP_TOKEN = 'iclocal_ckusdc';
const NETWORK = 'icp:local';

/** Above every block of the ledger that was read, waits to be applied, or proves something. */
const HEIGHT = `
  select greatest(
    0,
    (select max(next_index) from svc.icrc_cursors where network = $1 and ledger = $2),
    (select max(block_index) + 1 from svc.icrc_transfers where network = $1 and ledger = $2),
    (select max(split_part(transaction_id, ':', 2)::bigint) + 1 from svc.log_proofs
     where network = $1 and starts_with(transaction_id, $2 || ':'))
  )::text as height`;

export type DevIcp = Pick<LocalInternetComputer, 'url' | 'rootKey'> & {
  readonly network: typeof NETWORK;
  /** Canister id of the token ledger. */
  readonly ledger: string;
  /** Account of the merchant. */
  readonly merchant: string;
  /** Mints to a principal's account. */
  readonly fund: (owner: string, amountAtomic: bigint) => Promise<void>;
};

/** The ledger is installed later: how it begins is known from the database. */
export async function startDevIcp(port: number): Promise<LocalInternetComputer> {
  const [chain] = await Promise.all([startLocalInternetComputer({ port }), compileLedger()]);
  return chain;
}

/**
 * Installs the ledger so that it goes on at the height where the database left the ledger of the last run, which is gone: a block
 * is counted once by its name, for ever, so no block of this ledger has the name of one that the database may know.
 */
export async function continueLedger(
  chain: LocalInternetComputer,
  { pool }: Pick<DevDatabase, 'pool'>,
  { chainSeed }: Pick<DevSecrets, 'chainSeed'>,
): Promise<DevIcp> {
  const ledger = TOKENS.find(({ shortcode }) => shortcode === ICP_TOKEN)?.address;
  if (ledger === undefined) throw new Error(`the catalogue has no ${ICP_TOKEN}`);
  const { rows } = await pool.query<{ height: string }>(HEIGHT, [NETWORK, ledger]);
  const { mint } = await chain.installLedger({ canisterId: ledger, blocksBefore: Number(rows[0]?.height ?? 0) });
  // The blocks before are others than those that were read.
  await pool.query('update svc.icrc_cursors set last_hash = null, stopped_at = null where network = $1', [NETWORK]);
  const merchant = identityNamed(`${chainSeed} icp merchant`);
  return {
    url: chain.url,
    rootKey: chain.rootKey,
    network: NETWORK,
    ledger,
    merchant: merchant.getPrincipal().toText(),
    fund: async (owner, amountAtomic) => {
      await mint(accountNamed(owner), amountAtomic);
    },
  };
}

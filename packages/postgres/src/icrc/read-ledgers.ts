// Token ledgers that are read: money that is paid on them is found by itself.
import type { TokenEntry } from '@svc-pay/core';
import type pg from 'pg';

const FIND = {
  name: 'find-read-ledgers',
  text: 'select network, ledger from svc.icrc_cursors where read_at is not null and stopped_at is null',
};

export type IsLedgerRead = (token: Pick<TokenEntry, 'network' | 'address'>) => Promise<boolean>;

/** One that was read to its end at least once, and whose blocks continue what was read. */
export async function findReadLedgers(pool: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ network: string; ledger: string }>(FIND);
  return new Set(rows.map(({ network, ledger }) => ledgerKey({ network, address: ledger })));
}

export const ledgerKey = ({ network, address }: { readonly network: string; readonly address: string }): string =>
  `${network} ${address}`;

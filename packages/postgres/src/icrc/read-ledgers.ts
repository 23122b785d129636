// Token ledgers that are read: money that is paid on them is found by itself.
import { isoTime, type TokenEntry } from '@svc-pay/core';
import type pg from 'pg';

const FIND = {
  name: 'find-read-ledgers',
  text: 'select network, ledger from svc.icrc_cursors where read_at > $1 and stopped_at is null',
};

/** A ledger is read every few seconds. After this long without, what is paid there may be found too late. */
const UNREAD_MS = 600_000;

export type IsLedgerRead = (token: Pick<TokenEntry, 'network' | 'address'>) => Promise<boolean>;

/** One that was read to its end not long ago, and whose blocks continue what was read. */
export async function findReadLedgers(pool: pg.Pool, nowMs: number): Promise<ReadonlySet<string>> {
  const values = [isoTime(nowMs - UNREAD_MS)];
  const { rows } = await pool.query<{ network: string; ledger: string }>({ ...FIND, values });
  return new Set(rows.map(({ network, ledger }) => ledgerKey({ network, address: ledger })));
}

export const ledgerKey = ({ network, address }: { readonly network: string; readonly address: string }): string =>
  `${network} ${address}`;

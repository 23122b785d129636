import type pg from 'pg';
import { sqlSealedUnder } from './sealed-columns.ts';

export type SealedKey = {
  readonly accountId: string;
  readonly id: string;
  readonly ciphertext: Uint8Array;
  readonly index: Uint8Array;
};

type Row = {
  readonly account_id: string;
  readonly id: string;
  readonly ciphertext: Buffer;
  readonly lookup: Buffer;
};

/** The newest unrevoked secret key for each master key: enough to check that the configured master keys fit. */
export async function findSealedKeys(pool: pg.Pool): Promise<readonly SealedKey[]> {
  const { rows } = await pool.query<Row>(
    `select distinct on (${sqlSealedUnder('ciphertext')}) account_id, id, ciphertext, lookup
     from svc.api_keys where kind = 'secret' and revoked_at is null
     order by ${sqlSealedUnder('ciphertext')}, id desc`,
  );
  return rows.map(({ account_id, id, ciphertext, lookup }) => ({
    accountId: account_id,
    id,
    ciphertext,
    index: lookup,
  }));
}

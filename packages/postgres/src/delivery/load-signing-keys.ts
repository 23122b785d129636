// Loads the sealed secret API keys of accounts, with which their deliveries are signed. A key with scopes signs nothing.
import type { KeyHolder, Mode, SealedSigningKey } from '@svc-pay/core';
import type pg from 'pg';

const LOAD = {
  name: 'load-signing-keys',
  text: `
    select key.account_id, key.mode, key.id, key.ciphertext, key.signing, key.expires_at, key.revoked_at
    from unnest($1::text[], $2::text[]) as holder (account_id, mode)
    join svc.api_keys key on key.account_id = holder.account_id and key.mode = holder.mode
    where key.kind = 'secret' and key.revoked_at is null and key.scopes is null`,
};

type Row = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly id: string;
  readonly ciphertext: Buffer;
  readonly signing: boolean;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
};

export async function loadSigningKeys(
  pool: pg.Pool,
  holders: readonly KeyHolder[],
): Promise<readonly SealedSigningKey[]> {
  const { rows } = await pool.query<Row>({
    ...LOAD,
    values: [holders.map(({ accountId }) => accountId), holders.map(({ mode }) => mode)],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    mode: row.mode,
    id: row.id,
    ciphertext: row.ciphertext,
    signing: row.signing,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    revoked: row.revoked_at !== null,
  }));
}

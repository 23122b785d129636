import type { Mode } from '@svc-pay/core';
import type pg from 'pg';

export type AuditChain = {
  readonly accountId: string;
  readonly mode: Mode;
  /** Where the chain says it ends; 0 when nothing is sealed. */
  readonly headSequence: bigint;
  readonly headHash: Uint8Array | null;
  readonly unsealed: number;
};

type Row = {
  readonly account_id: string;
  readonly mode: Mode;
  readonly sequence: string | null;
  readonly hash: Buffer | null;
  readonly unsealed: number;
};

/** Every chain there is, of one account or of all. */
export async function listAuditChains(pool: pg.Pool, accountId?: string): Promise<readonly AuditChain[]> {
  const { rows } = await pool.query<Row>(
    `select settings.account_id, settings.mode, head.sequence, head.hash, (
       select count(*)::integer from svc.audit
       where audit.account_id = settings.account_id and audit.mode = settings.mode and audit.sequence is null
     ) as unsealed
     from svc.account_modes settings
     left join svc.audit_heads head on head.account_id = settings.account_id and head.mode = settings.mode
     where $1::text is null or settings.account_id = $1
     order by settings.account_id, settings.mode desc`,
    [accountId ?? null],
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    mode: row.mode,
    headSequence: BigInt(row.sequence ?? 0),
    headHash: row.hash,
    unsealed: row.unsealed,
  }));
}

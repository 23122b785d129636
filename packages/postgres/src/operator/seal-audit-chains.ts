import { type Mode, sealAudit } from '@svc-pay/core';
import type pg from 'pg';
import { createSealAuditPorts } from '../stores/seal-audit-store.ts';

export type SealedChain = { readonly accountId: string; readonly mode: Mode; readonly sealed: number };

/** Seals whatever waits, of one account or of all; found by the index of what is unsealed. */
export async function sealAuditChains(pool: pg.Pool, accountId?: string): Promise<readonly SealedChain[]> {
  const { rows } = await pool.query<{ account_id: string; mode: Mode }>(
    `select distinct account_id, mode from svc.audit
     where sequence is null and ($1::text is null or account_id = $1) order by account_id, mode desc`,
    [accountId ?? null],
  );
  const sealed: SealedChain[] = [];
  for (const { account_id: owner, mode } of rows) {
    sealed.push({ accountId: owner, mode, sealed: await sealAudit(createSealAuditPorts(pool, mode), owner) });
  }
  return sealed;
}

import { type Mode, sealAudit } from '@svc-pay/core';
import type pg from 'pg';
import { createSealAuditPorts } from './seal-audit-store.ts';

export type SealedChain = { readonly accountId: string; readonly mode: Mode; readonly sealed: number };

/**
 * Seals unsealed entries of one account or of all, found by the partial index of unsealed entries. With `onFailure`, a
 * chain that cannot be sealed is reported to it and the others are still sealed; without it, the failure is thrown.
 */
export async function sealAuditChains(
  pool: pg.Pool,
  accountId?: string,
  onFailure?: (chain: { readonly accountId: string; readonly mode: Mode }, problem: unknown) => void,
): Promise<readonly SealedChain[]> {
  const { rows } = await pool.query<{ account_id: string; mode: Mode }>(
    `select distinct account_id, mode from svc.audit
     where sequence is null and ($1::text is null or account_id = $1) order by account_id, mode desc`,
    [accountId ?? null],
  );
  const sealed: SealedChain[] = [];
  for (const { account_id: owner, mode } of rows) {
    try {
      sealed.push({ accountId: owner, mode, sealed: await sealAudit(createSealAuditPorts(pool, mode), owner) });
    } catch (problem) {
      if (onFailure === undefined) throw problem;
      onFailure({ accountId: owner, mode }, problem);
    }
  }
  return sealed;
}

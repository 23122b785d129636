import { type Mode, sealAudit } from '@svc-pay/core';
import type pg from 'pg';
import { createSealAuditPorts } from '../stores/seal-audit-store.ts';
import { listAuditChains } from './audit-chains.ts';

export type SealedChain = { readonly accountId: string; readonly mode: Mode; readonly sealed: number };

/** Seals whatever waits; chains without anything to seal are left out of the answer. */
export async function sealAuditChains(pool: pg.Pool, accountId?: string): Promise<readonly SealedChain[]> {
  const sealed: SealedChain[] = [];
  for (const { accountId: owner, mode, unsealed } of await listAuditChains(pool, accountId)) {
    if (unsealed === 0) continue;
    sealed.push({ accountId: owner, mode, sealed: await sealAudit(createSealAuditPorts(pool, mode), owner) });
  }
  return sealed;
}

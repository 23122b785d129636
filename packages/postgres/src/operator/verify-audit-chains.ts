// Follows every chain from its first link to the end it claims to have, a page at a time.
import { FIRST_PREVIOUS_HASH, type Mode, type SealedEntry, verifyChain } from '@svc-pay/core';
import type pg from 'pg';
import { readSealed } from '../stores/seal-audit-store.ts';
import { type AuditChain, listAuditChains } from './audit-chains.ts';

export type VerifiedChain = {
  readonly accountId: string;
  readonly mode: Mode;
  /** Entries that verified, up to the fault if there is one. */
  readonly verified: number;
  readonly unsealed: number;
  /** Hash of the last entry in hex: whoever writes it down elsewhere can tell later that nothing before it changed. */
  readonly headHash: string | null;
  readonly fault: AuditFault | null;
};

/**
 * `content`: the row was changed. `link`: it does not follow the row before it. `gap`: rows before it are missing.
 * `end`: the chain stops before the end on record, or ends in another row; `id` is the last row that is there.
 */
type AuditFault = { readonly id: string; readonly sequence: string; readonly fault: ChainFault };
export type ChainFault = 'content' | 'link' | 'gap' | 'end';

const PAGE = 500;

export async function verifyAuditChains(pool: pg.Pool, accountId?: string): Promise<readonly VerifiedChain[]> {
  const chains: VerifiedChain[] = [];
  for (const chain of await listAuditChains(pool, accountId)) chains.push(await verifyOne(pool, chain));
  return chains;
}

async function verifyOne(pool: pg.Pool, chain: AuditChain): Promise<VerifiedChain> {
  const { accountId, mode, unsealed } = chain;
  let last: Pick<SealedEntry, 'id' | 'sequence' | 'hash'> = { id: 'none', sequence: 0n, hash: FIRST_PREVIOUS_HASH };
  const result = (fault: AuditFault | null) => ({
    accountId,
    mode,
    verified: Number(last.sequence),
    unsealed,
    headHash: last.sequence === 0n ? null : Buffer.from(last.hash).toString('hex'),
    fault,
  });
  for (;;) {
    const page = await readSealed(pool, accountId, mode, last.sequence, PAGE);
    const fault = verifyChain(page, last);
    if (fault !== undefined) {
      const good = page.findLast(({ sequence }) => sequence < fault.sequence);
      last = good ?? last;
      return result({ id: fault.id, sequence: fault.sequence.toString(), fault: fault.fault });
    }
    last = page.at(-1) ?? last;
    if (page.length < PAGE) break;
  }
  const endsAsRecorded =
    last.sequence >= chain.headSequence &&
    (last.sequence > chain.headSequence || Buffer.compare(last.hash, chain.headHash ?? FIRST_PREVIOUS_HASH) === 0);
  return result(endsAsRecorded ? null : { id: last.id, sequence: last.sequence.toString(), fault: 'end' });
}

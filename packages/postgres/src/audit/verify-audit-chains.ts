// Verifies every audit chain from its first entry to its recorded head, page by page.
import { FIRST_PREVIOUS_HASH, type Mode, type SealedEntry, verifyChain } from '@svc-pay/core';
import type pg from 'pg';
import { readSealed } from './seal-audit-store.ts';

export type VerifiedChain = {
  readonly accountId: string;
  readonly mode: Mode;
  /** Entries that verified, up to the fault if there is one. */
  readonly verified: number;
  readonly unsealed: number;
  /** Hash of the last entry in hex. Noted elsewhere, it proves later that no earlier entry has changed. */
  readonly headHash: string | null;
  readonly fault: AuditFault | null;
};

/**
 * `content`: the row was changed. `link`: it does not follow the row before it. `gap`: rows before it are missing.
 * `end`: the chain stops before the end on record, or ends in another row; `id` is the last row that is there.
 */
type AuditFault = { readonly id: string; readonly sequence: string; readonly fault: AuditChainFault };
export type AuditChainFault = 'content' | 'link' | 'gap' | 'end';

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

type AuditChain = {
  readonly accountId: string;
  readonly mode: Mode;
  /** Recorded sequence of the chain's last entry; 0 when nothing is sealed. */
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

/** The chains of one account, or of all: also those of the platform, which is no account. */
async function listAuditChains(pool: pg.Pool, accountId?: string): Promise<readonly AuditChain[]> {
  const { rows } = await pool.query<Row>(
    `select settings.account_id, settings.mode, head.sequence, head.hash, (
       select count(*)::integer from svc.audit
       where audit.account_id = settings.account_id and audit.mode = settings.mode and audit.sequence is null
     ) as unsealed
     from (select account_id, mode from svc.account_modes union select account_id, mode from svc.audit_heads) settings
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

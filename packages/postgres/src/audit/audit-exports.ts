// Writes and verifies exports of the audit heads.
import {
  type AuditExport,
  type AuditSigner,
  type ChainHead,
  type ExportFault,
  headsOf,
  isoTime,
  judgeExport,
  judgeSignedHead,
  nextExport,
  type SignedHead,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';

type Row = {
  readonly number: string;
  readonly created_at: Date;
  readonly heads: string;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
  readonly signature: Buffer;
  readonly signed_by: Buffer;
};

const COLUMNS = 'number, created_at, heads, previous_hash, hash, signature, signed_by';
const ONE_AT_A_TIME = "select pg_advisory_xact_lock(hashtextextended('svc.audit_exports', 0))";

/** Exports every head that changed since the last export. Undefined if none did. */
export async function exportAuditHeads(
  pool: pg.Pool,
  nowMs: number,
  signer: AuditSigner,
): Promise<AuditExport | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(ONE_AT_A_TIME);
    const { rows: changed } = await client.query<{ account_id: string; mode: string; sequence: string; hash: Buffer }>(
      `select account_id, mode, sequence, hash from svc.audit_heads
       where sequence > exported_sequence order by account_id, mode for no key update`,
    );
    if (changed.length === 0) return undefined;
    const { rows: newest } = await client.query<Row>(
      `select ${COLUMNS} from svc.audit_exports order by number desc limit 1`,
    );
    const heads = changed.map(({ account_id: accountId, mode, sequence, hash }): ChainHead => {
      return { accountId, mode, sequence: BigInt(sequence), hash };
    });
    const made = nextExport(newest[0] && exportOf(newest[0]), heads, nowMs, signer);
    await client.query(`insert into svc.audit_exports (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7)`, [
      made.number.toString(),
      isoTime(made.createdAtMs),
      made.heads,
      made.previousHash,
      made.hash,
      made.signature,
      made.signedBy,
    ]);
    await client.query(
      `update svc.audit_heads head set exported_sequence = done.sequence
       from unnest($1::text[], $2::text[], $3::bigint[]) as done (account_id, mode, sequence)
       where head.account_id = done.account_id and head.mode = done.mode`,
      [
        heads.map(({ accountId }) => accountId),
        heads.map(({ mode }) => mode),
        heads.map(({ sequence }) => sequence.toString()),
      ],
    );
    return made;
  });
}

export type FoundExportFault = {
  readonly number: string;
  /** `head`: an entry that was exported is not in the chain any more. `missing` and `rewritten`: by a line from elsewhere. */
  readonly fault: ExportFault | 'head' | 'missing' | 'rewritten';
  /** Chain and sequence of the head that is not there. */
  readonly head?: string;
};

export type VerifiedExports = { readonly exports: number; readonly faults: readonly FoundExportFault[] };

const PAGE = 100;

/** `lines`: signed heads that were kept elsewhere; they need `trusted`, public halves of signing keys, the newest first. */
export async function verifyAuditExports(
  pool: pg.Pool,
  trusted: readonly Uint8Array[] | undefined,
  lines: readonly SignedHead[],
): Promise<VerifiedExports> {
  const faults: FoundExportFault[] = [];
  const wanted = Map.groupBy(lines, ({ number }) => number);
  const judgeLines = (number: string, stored: AuditExport | undefined) => {
    for (const line of wanted.get(number) ?? []) {
      const fault = trusted === undefined ? 'signature' : judgeSignedHead(line, stored, trusted);
      if (fault !== undefined) faults.push({ number, fault });
    }
    wanted.delete(number);
  };
  let last: AuditExport | undefined;
  let count = 0;
  for (;;) {
    const { rows } = await pool.query<Row>(
      `select ${COLUMNS} from svc.audit_exports where number > $1 order by number limit ${PAGE}`,
      [(last?.number ?? 0n).toString()],
    );
    for (const one of rows.map(exportOf)) {
      const number = one.number.toString();
      const fault = judgeExport(one, last, trusted);
      if (fault !== undefined) faults.push({ number, fault });
      for (const head of await findLostHeads(pool, one)) faults.push({ number, fault: 'head', head });
      judgeLines(number, one);
      last = one;
      count += 1;
    }
    if (rows.length < PAGE) break;
  }
  for (const number of wanted.keys()) judgeLines(number, undefined);
  return { exports: count, faults };
}

async function findLostHeads(pool: pg.Pool, one: AuditExport): Promise<readonly string[]> {
  const heads = headsOf(one);
  const { rows } = await pool.query<{ name: string }>(
    `select head.account_id || '/' || head.mode || '/' || head.sequence as name
     from unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[]) as head (account_id, mode, sequence, hash)
     where not exists (
       select from svc.audit
       where audit.account_id = head.account_id and audit.mode = head.mode and audit.sequence = head.sequence
         and audit.hash = head.hash
     )
     order by 1`,
    [
      heads.map(({ accountId }) => accountId),
      heads.map(({ mode }) => mode),
      heads.map(({ sequence }) => sequence.toString()),
      heads.map(({ hash }) => hash),
    ],
  );
  return rows.map(({ name }) => name);
}

function exportOf(row: Row): AuditExport {
  return {
    number: BigInt(row.number),
    createdAtMs: row.created_at.getTime(),
    heads: row.heads,
    previousHash: row.previous_hash,
    hash: row.hash,
    signature: row.signature,
    signedBy: row.signed_by,
  };
}

// Changes the deny list. The audit record names a payer or an address only by `reference`: it is kept for years.
import { type DeniedKind, isoTime, type KeyOwner } from '@svc-pay/core';
import type pg from 'pg';
import { findKeyOwner } from '../account/find-key-owner.ts';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

type DeniedName = { readonly kind: DeniedKind; readonly value: string };

export type NewDenial = DeniedName & {
  /** Names it in the audit record. */
  readonly reference: string;
  readonly reason: string;
  readonly expiresAtMs: number | null;
};

export type DeniedRow = DeniedName & {
  readonly reason: string;
  readonly actor: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
};

/** Entries that ended this long ago are deleted with the next change. */
const ENDED_KEPT = '30 days';

/** Replaces reason and end of an entry that is there. False for a key that does not exist. */
export async function addDenied({ pool, nowMs, actor }: Operation, denial: NewDenial): Promise<boolean> {
  const { kind, value, reference, reason, expiresAtMs } = denial;
  const expiresAt = expiresAtMs === null ? null : isoTime(expiresAtMs);
  return inTransaction(pool, async (client) => {
    const owner = await ownerOf(client, denial);
    if (owner === undefined) return false;
    await client.query(`delete from svc.denied where expires_at < $1::timestamptz - interval '${ENDED_KEPT}'`, [
      isoTime(nowMs),
    ]);
    await client.query(
      `insert into svc.denied (kind, value, reason, actor, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (kind, value) do update
       set reason = excluded.reason, actor = excluded.actor, created_at = excluded.created_at,
         expires_at = excluded.expires_at`,
      [kind, value, reason, actor, isoTime(nowMs), expiresAt],
    );
    const detail = { kind, reason, expiresAt };
    await writeAudit(client, nowMs, { ...owner, actor, action: 'deny.added', target: reference, detail });
    return true;
  });
}

/** False when the list has no such entry. */
export async function removeDenied(
  { pool, nowMs, actor }: Operation,
  { kind, value, reference }: Pick<NewDenial, 'kind' | 'value' | 'reference'>,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query('delete from svc.denied where kind = $1 and value = $2', [kind, value]);
    if (rowCount === 0) return false;
    const owner = (await ownerOf(client, { kind, value })) ?? PLATFORM;
    await writeAudit(client, nowMs, { ...owner, actor, action: 'deny.removed', target: reference, detail: { kind } });
    return true;
  });
}

type Row = {
  readonly kind: DeniedKind;
  readonly value: string;
  readonly reason: string;
  readonly actor: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
};

/** Newest first; entries that have ended are left out. */
export async function listDenied(pool: pg.Pool, nowMs: number): Promise<readonly DeniedRow[]> {
  const { rows } = await pool.query<Row>(
    `select kind, value, reason, actor, created_at, expires_at from svc.denied
     where expires_at is null or expires_at > $1 order by created_at desc, kind, value`,
    [isoTime(nowMs)],
  );
  return rows.map(({ created_at: createdAt, expires_at: expiresAt, ...row }) => ({
    ...row,
    createdAtMs: createdAt.getTime(),
    expiresAtMs: expiresAt?.getTime() ?? null,
  }));
}

/** Audit records that belong to no single account are written under this one. */
const PLATFORM = { accountId: 'platform', mode: 'live' } as const;

async function ownerOf(
  client: pg.ClientBase,
  { kind, value }: DeniedName,
): Promise<KeyOwner | typeof PLATFORM | undefined> {
  return kind === 'key' ? findKeyOwner(client, value) : PLATFORM;
}

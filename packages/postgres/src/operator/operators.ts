// Operators and their keys. Only a member of svc_migrator writes them; the admin service reads them.
import { randomBytes } from 'node:crypto';
import { type KnownOperator, keyIndex, makeOperatorKey, type OperatorKeyText } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

const AUDITED = { accountId: PLATFORM, mode: 'live' } as const;

export type CreatedOperator =
  | { readonly ok: true; readonly id: Id<'operator'>; readonly key: OperatorKeyText }
  | { readonly ok: false; readonly code: 'operator_exists' };

/** The key is answered once; stored is its HMAC under `pepper`. */
export async function createOperator(
  { pool, nowMs, actor }: Operation,
  pepper: Uint8Array,
  { name, email }: { readonly name: string; readonly email: string },
): Promise<CreatedOperator> {
  const id = newId('operator', nowMs);
  const key = makeOperatorKey(randomBytes);
  return inTransaction(pool, async (client): Promise<CreatedOperator> => {
    const { rowCount } = await client.query(
      `insert into svc.operators (id, name, email, lookup, hint, created_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (email) do nothing`,
      [id, name, email, keyIndex(pepper, key), key.slice(-4), new Date(nowMs)],
    );
    if (rowCount !== 1) return { ok: false, code: 'operator_exists' };
    await writeAudit(client, nowMs, { ...AUDITED, actor, action: 'operator.created', target: id, detail: { name } });
    return { ok: true, id, key };
  });
}

/** False for an unknown operator. From the commit on the key is refused. */
export async function disableOperator({ pool, nowMs, actor }: Operation, id: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ disabled: boolean }>(
      'select disabled_at is not null as disabled from svc.operators where id = $1 for update',
      [id],
    );
    const [operator] = rows;
    if (operator === undefined) return false;
    if (operator.disabled) return true;
    await client.query('update svc.operators set disabled_at = $2 where id = $1', [id, new Date(nowMs)]);
    await writeAudit(client, nowMs, { ...AUDITED, actor, action: 'operator.disabled', target: id });
    return true;
  });
}

export type OperatorRow = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The last characters of the key; null: no key. */
  readonly hint: string | null;
  readonly createdAtMs: number;
  readonly disabledAtMs: number | null;
  /** Exact to a minute. */
  readonly lastUsedAtMs: number | null;
};

type Row = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly hint: string | null;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly last_used_at: Date | null;
};

/** Oldest first. */
export async function listOperators(pool: pg.Pool): Promise<readonly OperatorRow[]> {
  const { rows } = await pool.query<Row>(
    'select id, name, email, hint, created_at, disabled_at, last_used_at from svc.operators order by id',
  );
  return rows.map(({ created_at, disabled_at, last_used_at, ...operator }) => ({
    ...operator,
    createdAtMs: created_at.getTime(),
    disabledAtMs: disabled_at?.getTime() ?? null,
    lastUsedAtMs: last_used_at?.getTime() ?? null,
  }));
}

/** The operator whose key has this index. Notes the use, at most once a minute. */
export async function findOperator(
  pool: pg.Pool,
  index: Uint8Array,
  nowMs: number,
): Promise<KnownOperator | undefined> {
  const now = new Date(nowMs);
  const { rows } = await pool.query<KnownOperator & { readonly due: boolean }>(
    `select id, name, disabled_at is not null as disabled,
       last_used_at is null or last_used_at <= $2::timestamptz - interval '1 minute' as due
     from svc.operators where lookup = $1`,
    [index, now],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id, name, disabled, due } = row;
  if (due && !disabled) await pool.query('update svc.operators set last_used_at = $2 where id = $1', [id, now]);
  return { id, name, disabled };
}

// Operators and their keys. Only a member of svc_migrator writes them; the admin service reads them.
import { randomBytes } from 'node:crypto';
import {
  type KeyIndexes,
  type KnownOperator,
  keyIndex,
  makeOperatorKey,
  type NumberedPepper,
  type OperatorKeyText,
} from '@svc-pay/core';
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
  pepper: NumberedPepper,
  { name, email }: { readonly name: string; readonly email: string },
): Promise<CreatedOperator> {
  const id = newId('operator', nowMs);
  const key = makeOperatorKey(randomBytes);
  return inTransaction(pool, async (client): Promise<CreatedOperator> => {
    const { rowCount } = await client.query(
      `insert into svc.operators (id, name, email, lookup, pepper, hint, created_at) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (email) do nothing`,
      [id, name, email, keyIndex(pepper.bytes, key), pepper.number, key.slice(-4), new Date(nowMs)],
    );
    if (rowCount !== 1) return { ok: false, code: 'operator_exists' };
    await writeAudit(client, nowMs, { ...AUDITED, actor, action: 'operator.created', target: id, detail: { name } });
    return { ok: true, id, key };
  });
}

export type RolledOperator =
  | { readonly ok: true; readonly key: OperatorKeyText; readonly previousExpiresAtMs: number }
  | { readonly ok: false; readonly code: 'operator_unknown' | 'operator_disabled' }
  | { readonly ok: false; readonly code: 'roll_in_progress'; readonly previousExpiresAtMs: number };

/** Gives the operator another key. The one before works for `overlapMs` more; with 0 every earlier key ends now. */
export async function rollOperator(
  { pool, nowMs, actor }: Operation,
  pepper: NumberedPepper,
  { id, overlapMs }: { readonly id: string; readonly overlapMs: number },
): Promise<RolledOperator> {
  const key = makeOperatorKey(randomBytes);
  const previousExpiresAtMs = nowMs + overlapMs;
  return inTransaction(pool, async (client): Promise<RolledOperator> => {
    const { rows } = await client.query<{ disabled_at: Date | null; previous_expires_at: Date | null }>(
      'select disabled_at, previous_expires_at from svc.operators where id = $1 for update',
      [id],
    );
    const [before] = rows;
    if (before === undefined) return { ok: false, code: 'operator_unknown' };
    if (before.disabled_at !== null) return { ok: false, code: 'operator_disabled' };
    const runningUntilMs = before.previous_expires_at?.getTime() ?? 0;
    if (overlapMs > 0 && runningUntilMs > nowMs)
      return { ok: false, code: 'roll_in_progress', previousExpiresAtMs: runningUntilMs };
    // An operator of before 0019 has no key, and so no previous one.
    await client.query(
      `update svc.operators set lookup = $2, pepper = $3, hint = $4,
         previous_lookup = case when $5 then lookup end,
         previous_pepper = case when $5 and lookup is not null then pepper end,
         previous_expires_at = case when $5 and lookup is not null then $6::timestamptz end
       where id = $1`,
      [id, keyIndex(pepper.bytes, key), pepper.number, key.slice(-4), overlapMs > 0, new Date(previousExpiresAtMs)],
    );
    await writeAudit(client, nowMs, {
      ...AUDITED,
      actor,
      action: 'operator.key_rolled',
      target: id,
      detail: { hint: key.slice(-4), overlapMs },
    });
    return { ok: true, key, previousExpiresAtMs };
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
  /** Number of the pepper that hashed the key. */
  readonly pepper: number;
  /** Until then the key before this one works too. */
  readonly previousExpiresAtMs: number | null;
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
  readonly pepper: number;
  readonly previous_expires_at: Date | null;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly last_used_at: Date | null;
};

/** Oldest first. */
export async function listOperators(pool: pg.Pool): Promise<readonly OperatorRow[]> {
  const { rows } = await pool.query<Row>(
    `select id, name, email, hint, pepper, previous_expires_at, created_at, disabled_at, last_used_at
     from svc.operators order by id`,
  );
  return rows.map(({ created_at, disabled_at, last_used_at, previous_expires_at, ...operator }) => ({
    ...operator,
    previousExpiresAtMs: previous_expires_at?.getTime() ?? null,
    createdAtMs: created_at.getTime(),
    disabledAtMs: disabled_at?.getTime() ?? null,
    lastUsedAtMs: last_used_at?.getTime() ?? null,
  }));
}

/** The operator whose key has one of these indexes. Notes the use, at most once a minute. */
export async function findOperator(
  pool: pg.Pool,
  indexes: KeyIndexes,
  nowMs: number,
): Promise<KnownOperator | undefined> {
  const now = new Date(nowMs);
  const { rows } = await pool.query<KnownOperator & { readonly due: boolean }>(
    `select id, name, disabled_at is not null as disabled,
       last_used_at is null or last_used_at <= $2::timestamptz - interval '1 minute' as due
     from svc.operators
     where lookup = any ($1::bytea[]) or (previous_lookup = any ($1::bytea[]) and previous_expires_at > $2)`,
    [indexes, now],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id, name, disabled, due } = row;
  if (due && !disabled) await pool.query('update svc.operators set last_used_at = $2 where id = $1', [id, now]);
  return { id, name, disabled };
}

/**
 * Operators with a valid key, the previous one included, that another pepper than the first of `peppers` hashed. `locked`: a
 * pepper that is not in `peppers` did.
 */
export async function findOperatorsUnderOthers(
  pool: pg.Pool,
  peppers: readonly number[],
  nowMs: number,
): Promise<readonly { readonly id: string; readonly locked: boolean }[]> {
  const { rows } = await pool.query<{ id: string; locked: boolean }>(
    `select id, pepper <> all($1::integer[]) or coalesce(valid_previous <> all($1), false) as locked
     from svc.operators,
       lateral (select case when previous_expires_at > $2 then previous_pepper end as valid_previous) as overlap
     where disabled_at is null and lookup is not null and (pepper <> $1[1] or valid_previous <> $1[1])
     order by id`,
    [peppers, new Date(nowMs)],
  );
  return rows;
}

// Whether an account can live in the other cell: what it was signed for, hashed and encrypted with must be the same there, and what
// is unique over cells must differ.
import { keyIndex, type NumberedPeppers, RELAYER_STATUS, type SecretBox, secretKeyContext } from '@svc-pay/core';
import type pg from 'pg';
import { openOrUndefined } from '../account/reseal-secrets.ts';
import { SEALED_COLUMNS, sqlSealedUnder } from '../account/sealed-columns.ts';
import { sqlIsNot } from '../database/status-sql.ts';

export type CellSecrets = { readonly peppers: NumberedPeppers; readonly box: SecretBox };

export type CellRefusal =
  | 'schema_differs'
  | 'same_codes'
  | 'installation_differs'
  | 'overview_rebuilding'
  | 'relayer_shared'
  | 'target_unproven'
  | 'secrets_differ'
  | 'secrets_under_old_key';

type Cell = {
  readonly schema: string;
  readonly prefix: number;
  readonly installation: string;
  readonly generations: number;
  readonly relayers: readonly string[];
};

const LOAD_CELL = `
  select (select string_agg(name, ' ' order by name) from svc.svc_migrations) as schema,
    intent_code_prefix as prefix, id::text as installation,
    (select count(*)::integer from svc.overview_cursors) as generations,
    array(
      select network || ' ' || address from svc.relayers where status ${sqlIsNot(RELAYER_STATUS.retired)} order by 1
    ) as relayers
  from svc.installation`;

async function loadCell(pool: pg.Pool): Promise<Cell> {
  const { rows } = await pool.query<Cell>(LOAD_CELL);
  const [cell] = rows;
  if (cell === undefined) throw new Error('the database has no installation: run `migrate`');
  return cell;
}

/** `prefix` names the other cell in the row of the move. */
export async function compareCells(
  source: pg.Pool,
  target: pg.Pool,
  accountId: string,
  secrets: CellSecrets,
): Promise<{ readonly ok: true; readonly prefix: number } | { readonly ok: false; readonly code: CellRefusal }> {
  const [here, there] = [await loadCell(source), await loadCell(target)];
  const refuse = (code: CellRefusal) => ({ ok: false, code }) as const;
  if (here.schema !== there.schema) return refuse('schema_differs');
  if (here.prefix === there.prefix) return refuse('same_codes');
  if (here.installation !== there.installation) return refuse('installation_differs');
  if (here.generations !== 1 || there.generations !== 1) return refuse('overview_rebuilding');
  if (here.relayers.some((relayer) => there.relayers.includes(relayer))) return refuse('relayer_shared');
  const own = await judgeKeys(source, secrets, accountId);
  const others = await judgeKeys(target, secrets, undefined);
  if (others === 'none') return refuse('target_unproven');
  if (own === 'differ' || others === 'differ') return refuse('secrets_differ');
  const used = await masterKeysOf(target, undefined);
  if ((await masterKeysOf(source, accountId)).some((number) => !used.includes(number)))
    return refuse('secrets_under_old_key');
  return { ok: true, prefix: there.prefix };
}

type KeyRow = {
  readonly account_id: string;
  readonly id: string;
  readonly lookup: Buffer;
  readonly publishable_text: string | null;
  readonly ciphertext: Buffer | null;
};

/** The newest keys are enough: they are under what the services hash and encrypt with now. */
const NEWEST_KEYS = `
  select account_id, id, lookup, publishable_text, ciphertext from svc.api_keys
  where revoked_at is null and session_id is null and ($1::text is null or account_id = $1)
  order by created_at desc, id desc limit 200`;

async function judgeKeys(
  pool: pg.Pool,
  secrets: CellSecrets,
  accountId: string | undefined,
): Promise<'fit' | 'differ' | 'none'> {
  const { rows } = await pool.query<KeyRow>(NEWEST_KEYS, [accountId ?? null]);
  if (!rows.some(({ ciphertext }) => ciphertext !== null)) return 'none';
  return rows.every((row) => fits(row, secrets)) ? 'fit' : 'differ';
}

function fits(
  { account_id, id, lookup, publishable_text, ciphertext }: KeyRow,
  { peppers, box }: CellSecrets,
): boolean {
  const text = publishable_text ?? (ciphertext && openOrUndefined(box, ciphertext, secretKeyContext(account_id, id)));
  return typeof text === 'string' && peppers.some(({ bytes }) => lookup.equals(keyIndex(bytes, text)));
}

async function masterKeysOf(pool: pg.Pool, accountId: string | undefined): Promise<readonly number[]> {
  const each = SEALED_COLUMNS.map(
    ({ table, column }) =>
      `select ${sqlSealedUnder(column)} as number from svc.${table}
       where ${column} is not null and ($1::text is null or account_id = $1)`,
  );
  const { rows } = await pool.query<{ number: number }>(each.join(' union '), [accountId ?? null]);
  return rows.map(({ number }) => number);
}

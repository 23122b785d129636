// Seals stored secrets anew under the current master key. Each row is one statement that compares the ciphertext it read, so
// that the walk may run beside every service, be killed, and run again: rows that are done are not found a second time.
import { type SecretBox, sealedUnder } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { allowMoved } from '../database/not-moved.ts';
import { countSealed, SEALED_COLUMNS, type SealedColumn, type SealedCount, sqlSealedUnder } from './sealed-columns.ts';

/** A secret that stays under its old master key. */
type UnopenedSecret = {
  readonly column: string;
  readonly accountId: string;
  readonly id: string;
  readonly masterKey: number | undefined;
};

export type ResealedSecrets = {
  readonly resealed: number;
  /** What none of the given master keys opens. */
  readonly unopened: readonly UnopenedSecret[];
  /** Counted afterwards, whoever sealed them: secrets under another master key than the current one. */
  readonly left: readonly SealedCount[];
};

type Row = {
  readonly account_id: string;
  readonly mode: string;
  readonly id: string;
  readonly sealed: Buffer;
};

const PAGE = 200;

/** `box` opens with every given master key and seals with the one of number `current`. */
export async function resealSecrets(
  { pool, nowMs, actor }: Operation,
  box: SecretBox,
  current: number,
): Promise<ResealedSecrets> {
  let resealed = 0;
  const unopened: UnopenedSecret[] = [];
  for (const sealedColumn of SEALED_COLUMNS) {
    for await (const row of rowsUnderOthers(pool, sealedColumn, current)) {
      const text = openOrUndefined(box, row.sealed, sealedColumn.contextOf(row.account_id, row.id));
      if (text === undefined) unopened.push(unopenedOf(sealedColumn, row));
      else if (await replace(pool, sealedColumn, row, box.seal(text, sealedColumn.contextOf(row.account_id, row.id))))
        resealed += 1;
    }
  }
  if (resealed > 0)
    await inTransaction(pool, (client) =>
      writeAudit(client, nowMs, {
        accountId: PLATFORM,
        mode: 'live',
        actor,
        action: 'secrets.resealed',
        target: `master_key_${current}`,
        detail: { resealed },
      }),
    );
  const left = (await countSealed(pool)).filter(({ masterKey }) => masterKey !== current);
  return { resealed, unopened, left };
}

/** Page by page in the order of the key, so that a row that can't be opened is met once. */
async function* rowsUnderOthers(
  pool: pg.Pool,
  { table, column }: SealedColumn,
  current: number,
): AsyncGenerator<Row, void> {
  let after: readonly string[] = ['', '', ''];
  for (;;) {
    const { rows } = await pool.query<Row>(
      `select account_id, mode, id, ${column} as sealed from svc.${table}
       where (account_id, mode, id) > ($1, $2, $3) and ${column} is not null and ${sqlSealedUnder(column)} <> $4
       order by account_id, mode, id limit ${PAGE}`,
      [...after, current],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = [last.account_id, last.mode, last.id];
  }
}

/** False if somebody else changed the secret meanwhile: what they wrote stays. */
async function replace(
  pool: pg.Pool,
  { table, column }: SealedColumn,
  { account_id, mode, id, sealed }: Row,
  next: Uint8Array,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await allowMoved(client);
    const { rowCount } = await client.query(
      `update svc.${table} set ${column} = $5 where account_id = $1 and mode = $2 and id = $3 and ${column} = $4`,
      [account_id, mode, id, sealed, next],
    );
    return rowCount === 1;
  });
}

export function openOrUndefined(box: SecretBox, ...sealed: Parameters<SecretBox['open']>): string | undefined {
  try {
    return box.open(...sealed);
  } catch {
    return undefined;
  }
}

const unopenedOf = ({ table, column }: SealedColumn, { account_id, id, sealed }: Row): UnopenedSecret => ({
  column: `${table}.${column}`,
  accountId: account_id,
  id,
  masterKey: sealedUnder(sealed),
});

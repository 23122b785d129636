// Hashes stored API keys anew under the current pepper: a publishable key is stored as text, a secret key is opened with the
// master keys. Each row is one statement that compares the hash it read, so that the walk may run beside every service, be
// killed, and run again.
import { timingSafeEqual } from 'node:crypto';
import { keyIndex, type NumberedPeppers, type SecretBox, secretKeyContext } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { PLATFORM } from '../audit/platform.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { allowMoved } from '../database/not-moved.ts';
import { findOperatorsUnderOthers } from './operators.ts';

/** `unopened`: no given master key opens it. `unknown`: no given pepper hashed it. `old`: one behind the first did. */
type Why = { readonly why: 'unopened' | 'unknown' } | { readonly why: 'old'; readonly pepper: number };
type LeftKey = { readonly accountId: string; readonly id: string } & Why;

export type RehashedKeys = {
  /** How many unrevoked keys are stored. */
  readonly stored: number;
  readonly rehashed: number;
  readonly left: readonly LeftKey[];
  /** Operators with a key under another pepper: only another key of theirs moves them. */
  readonly operators: readonly string[];
  /** Those of them with a key under a pepper that is not given: nobody can use that key. */
  readonly operatorsLocked: readonly string[];
};

type Row = {
  readonly account_id: string;
  readonly mode: string;
  readonly id: string;
  readonly lookup: Buffer;
  readonly publishable_text: string | null;
  readonly ciphertext: Buffer | null;
};

const PAGE = 200;

/** Revoked keys are left as they are: no pepper finds them anyway. With `check` nothing is written. */
export async function rehashKeys(
  { pool, nowMs, actor }: Operation,
  { peppers, box, check }: { readonly peppers: NumberedPeppers; readonly box: SecretBox; readonly check: boolean },
): Promise<RehashedKeys> {
  const [current] = peppers;
  let [stored, rehashed] = [0, 0];
  const left: LeftKey[] = [];
  for await (const row of usableKeys(pool)) {
    stored += 1;
    const judged = judge(peppers, box, row);
    if (judged === 'current') continue;
    const { text, ...why } = judged;
    const done = !check && text !== undefined && (await replace(pool, row, keyIndex(current.bytes, text)));
    if (done) rehashed += 1;
    else left.push({ accountId: row.account_id, id: row.id, ...why });
  }
  if (rehashed > 0)
    await inTransaction(pool, (client) =>
      writeAudit(client, nowMs, {
        accountId: PLATFORM,
        mode: 'live',
        actor,
        action: 'keys.rehashed',
        target: `pepper_${current.number}`,
        detail: { rehashed },
      }),
    );
  const numbers = peppers.map(({ number }) => number);
  const operators = await findOperatorsUnderOthers(pool, numbers, nowMs);
  return {
    stored,
    rehashed,
    left,
    operators: operators.map(({ id }) => id),
    operatorsLocked: operators.filter(({ locked }) => locked).map(({ id }) => id),
  };
}

/** With the text of a key that can be hashed anew. */
type Judged = 'current' | (Why & { readonly text?: string });

function judge(peppers: NumberedPeppers, box: SecretBox, row: Row): Judged {
  const text = textOf(box, row);
  if (text === undefined) return { why: 'unopened' };
  const hashedBy = peppers.find(({ bytes }) => timingSafeEqual(keyIndex(bytes, text), row.lookup));
  if (hashedBy === undefined) return { why: 'unknown' };
  return hashedBy === peppers[0] ? 'current' : { why: 'old', pepper: hashedBy.number, text };
}

function textOf(box: SecretBox, { account_id, id, publishable_text, ciphertext }: Row): string | undefined {
  if (ciphertext === null) return publishable_text ?? undefined;
  try {
    return box.open(ciphertext, secretKeyContext(account_id, id));
  } catch {
    return undefined;
  }
}

/** A key of a console session is derived anew in the next session: it is not hashed anew. */
async function* usableKeys(pool: pg.Pool): AsyncGenerator<Row, void> {
  let after: readonly string[] = ['', '', ''];
  for (;;) {
    const { rows } = await pool.query<Row>(
      `select account_id, mode, id, lookup, publishable_text, ciphertext from svc.api_keys
       where (account_id, mode, id) > ($1, $2, $3) and revoked_at is null and session_id is null
       order by account_id, mode, id limit ${PAGE}`,
      [...after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = [last.account_id, last.mode, last.id];
  }
}

/** False if another run was faster. */
async function replace(pool: pg.Pool, { account_id, mode, id, lookup }: Row, next: Uint8Array): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await allowMoved(client);
    const { rowCount } = await client.query(
      'update svc.api_keys set lookup = $5 where account_id = $1 and mode = $2 and id = $3 and lookup = $4',
      [account_id, mode, id, lookup, next],
    );
    return rowCount === 1;
  });
}

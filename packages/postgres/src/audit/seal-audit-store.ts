// Reads and seals audit chains. The head row is locked, so that only one process seals a chain at a time.
import { type AuditEntry, FIRST_PREVIOUS_HASH, type SealAuditPorts, type SealedEntry } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';

type Row = {
  readonly id: string;
  readonly account_id: string;
  readonly mode: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: string;
  readonly created_at: Date;
};
type SealedRow = Row & { readonly sequence: string; readonly previous_hash: Buffer; readonly hash: Buffer };

const COLUMNS = 'id, account_id, mode, actor, action, target, detail::text as detail, created_at';

export function createSealAuditPorts(pool: pg.Pool, mode: string): SealAuditPorts {
  return {
    sealUnsealed: (accountId, limit, seal) =>
      inTransaction(pool, async (client) => {
        await client.query(
          'insert into svc.audit_heads (account_id, mode, sequence, hash) values ($1, $2, 0, $3) on conflict do nothing',
          [accountId, mode, FIRST_PREVIOUS_HASH],
        );
        const head = await client.query<{ sequence: string; hash: Buffer }>(
          'select sequence, hash from svc.audit_heads where account_id = $1 and mode = $2 for update',
          [accountId, mode],
        );
        const unsealed = await client.query<Row>(
          `select ${COLUMNS} from svc.audit
           where account_id = $1 and mode = $2 and sequence is null order by id limit $3`,
          [accountId, mode, limit],
        );
        const [last] = head.rows;
        if (last === undefined || unsealed.rows.length === 0) return 0;
        const sealed = seal(unsealed.rows.map(entryOf), { sequence: BigInt(last.sequence), hash: last.hash });
        await store(client, accountId, mode, sealed);
        return sealed.length;
      }),
  };
}

async function store(
  client: pg.PoolClient,
  accountId: string,
  mode: string,
  sealed: readonly SealedEntry[],
): Promise<void> {
  await client.query(
    `update svc.audit set sequence = link.sequence, previous_hash = link.previous_hash, hash = link.hash
     from unnest($3::text[], $4::bigint[], $5::bytea[], $6::bytea[]) as link (id, sequence, previous_hash, hash)
     where audit.account_id = $1 and audit.mode = $2 and audit.id = link.id`,
    [
      accountId,
      mode,
      sealed.map(({ id }) => id),
      sealed.map(({ sequence }) => sequence.toString()),
      sealed.map(({ previousHash }) => previousHash),
      sealed.map(({ hash }) => hash),
    ],
  );
  const last = sealed.at(-1);
  await client.query('update svc.audit_heads set sequence = $3, hash = $4 where account_id = $1 and mode = $2', [
    accountId,
    mode,
    last?.sequence.toString(),
    last?.hash,
  ]);
}

/** Sealed entries of one chain with a sequence above `after`, in order. */
export async function readSealed(
  pool: pg.Pool,
  accountId: string,
  mode: string,
  after: bigint,
  limit: number,
): Promise<readonly SealedEntry[]> {
  const { rows } = await pool.query<SealedRow>(
    `select ${COLUMNS}, sequence, previous_hash, hash from svc.audit
     where account_id = $1 and mode = $2 and sequence > $3 order by sequence limit $4`,
    [accountId, mode, after.toString(), limit],
  );
  return rows.map((row) => ({
    ...entryOf(row),
    sequence: BigInt(row.sequence),
    previousHash: row.previous_hash,
    hash: row.hash,
  }));
}

function entryOf(row: Row): AuditEntry {
  const { id, mode, actor, action, target, detail } = row;
  return { id, accountId: row.account_id, mode, actor, action, target, detail, createdAtMs: row.created_at.getTime() };
}

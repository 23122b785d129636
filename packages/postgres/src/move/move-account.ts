// Moves an account to another cell. The status in the cell that it leaves decides: until it says `moved`, the other cell has nothing
// that is committed; from then on every call completes what is left, from rows that nobody can change. So no two cells ever
// take a request of the account, whatever is lost between the two commits.
import {
  ACCOUNT_STATUS,
  ACCOUNT_TRANSITIONS,
  type AccountStatus,
  INTENT_STATUS,
  judgeMove,
  MODES,
  type MoveRefusal,
} from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs, sqlStatus, sqlStep } from '../database/status-sql.ts';
import { type CellRefusal, type CellSecrets, compareCells } from './compare-cells.ts';
import { comparePayouts, type PayoutRefusal } from './compare-payouts.ts';
import { copyRows, digestRows, loadColumns, speakAlike, sumBooks, type TableDigest } from './copy-rows.ts';
import { allowLeaving, guardAccount, unguardAccount, unparkDeliveries } from './guard-account.ts';
import {
  adoptCursors,
  foldAll,
  lastPosition,
  loadReadingCursors,
  passFolded,
  type ReadingCursors,
  raisePositions,
} from './hand-over.ts';
import { type OpenMoveWork, readOpenWork } from './open-work.ts';
import { decideTaken, type TakenRefusal } from './taken-rows.ts';

/** A table, or the sums of the books, that is not the same on both sides. */
export type MoveDifference = { readonly table: string; readonly here: string; readonly there: string };

export type MoveRefused =
  | MoveRefusal
  | CellRefusal
  | PayoutRefusal
  | TakenRefusal
  | 'move_under_way'
  | 'move_to_another_cell'
  | 'account_not_moving'
  | 'account_moved'
  | 'target_busy';

/** `behind`: rows that stay in the cell that the account left, because another account of the other cell has their key. */
type MovedRows = { readonly rows: number; readonly behind: number };

export type MovedAccount =
  | ({ readonly ok: true; readonly changed: boolean } & MovedRows)
  | { readonly ok: false; readonly code: MoveRefused }
  | { readonly ok: false; readonly code: 'account_has_open_work'; readonly open: readonly OpenMoveWork[] }
  | { readonly ok: false; readonly code: 'copies_differ'; readonly differences: readonly MoveDifference[] };

export type MoveOptions = {
  readonly accountId: string;
  /** The other cell's database. */
  readonly target: pg.Pool;
  readonly secrets: CellSecrets;
};

const BEGIN = sqlStep(ACCOUNT_TRANSITIONS, ACCOUNT_STATUS.active, ACCOUNT_STATUS.moving);
const LEAVE = sqlStep(ACCOUNT_TRANSITIONS, ACCOUNT_STATUS.moving, ACCOUNT_STATUS.moved);
const ABORT = sqlStep(ACCOUNT_TRANSITIONS, ACCOUNT_STATUS.moving, ACCOUNT_STATUS.active);

/** One call does all that can be done now. Called again, it goes on where the one before ended. */
export async function moveAccount(operation: Operation, options: MoveOptions): Promise<MovedAccount> {
  const { accountId, target, secrets } = options;
  return oneAtATime(operation.pool, async (source) => {
    const found = await loadFacts(operation.pool, target, accountId);
    const judged = judgeMove(found);
    if (!judged.ok) return judged;
    if (judged.step === 'moved_before') return { ok: true, changed: false, ...NO_ROWS };
    const cells = await compareCells(operation.pool, target, accountId, secrets);
    if (!cells.ok) return cells;
    if (found.targetPrefix !== null && found.targetPrefix !== cells.prefix)
      return { ok: false, code: 'move_to_another_cell' };
    if (judged.step === 'finish') return finish(operation, accountId, NO_ROWS);
    const left = judged.step === 'complete';
    const refusal = await comparePayouts(operation.pool, target, accountId, left);
    if (refusal !== undefined) return { ok: false, code: refusal };
    if (judged.step === 'begin') await begin(operation, accountId, cells.prefix);
    const copied = await copy(operation, source, options, left);
    return copied.ok ? finish(operation, accountId, copied) : copied;
  });
}

const NO_ROWS: MovedRows = { rows: 0, behind: 0 };

export type AbortedMove = { readonly ok: true } | { readonly ok: false; readonly code: MoveRefused };

/** The account works here again. Nothing of it is committed in the other cell before it has moved. */
export async function abortMove(operation: Operation, accountId: string): Promise<AbortedMove> {
  const { pool, nowMs, actor } = operation;
  return oneAtATime(pool, async () => {
    const { rows } = await pool.query<{ status: AccountStatus }>('select status from svc.accounts where id = $1', [
      accountId,
    ]);
    const status = rows[0]?.status;
    if (status === undefined) return { ok: false, code: 'account_unknown' };
    if (status === ACCOUNT_STATUS.moved) return { ok: false, code: 'account_moved' };
    if (status !== ACCOUNT_STATUS.moving) return { ok: false, code: 'account_not_moving' };
    await unguardAccount(pool);
    await inTransaction(pool, async (client) => {
      await client.query(`update svc.accounts set status = ${ABORT.to} where id = $1 and status ${ABORT.from}`, [
        accountId,
      ]);
      await client.query('delete from svc.account_moves where account_id = $1', [accountId]);
      await unparkDeliveries(client, accountId);
      await audit(client, nowMs, { accountId, actor, action: 'account.move_aborted' });
    });
    return { ok: true };
  });
}

const MOVE_LOCK = `hashtextextended('svc.account_move', 0)`;

/** On a connection that the work uses too: whoever loses the lock loses its transactions. */
async function oneAtATime<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result | { readonly ok: false; readonly code: 'move_under_way' }> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${MOVE_LOCK}) as taken`);
    if (rows[0]?.taken !== true) return { ok: false, code: 'move_under_way' };
    return await work(client);
  } finally {
    // A connection that is lost has no lock and no transaction any more. It is not used again.
    await client.query('rollback').catch(() => {});
    await client.query(`select pg_advisory_unlock(${MOVE_LOCK})`).catch(() => {});
    client.release(true);
  }
}

async function loadFacts(source: pg.Pool, target: pg.Pool, accountId: string) {
  const { rows } = await source.query<{
    status: AccountStatus;
    arrived: boolean;
    target_prefix: number | null;
    open_caps: number;
  }>(
    `select a.status, m.arrived_at is not null as arrived, m.target_prefix, (
       select count(*)::integer from svc.authorizations signed
       where signed.account_id = a.id and signed.upto and signed.closed_at is null
     ) as open_caps
     from svc.accounts a left join svc.account_moves m on m.account_id = a.id where a.id = $1`,
    [accountId],
  );
  const { rowCount } = await target.query('select from svc.accounts where id = $1', [accountId]);
  const [row] = rows;
  return {
    status: row?.status,
    inTarget: rowCount === 1,
    arrived: row?.arrived ?? false,
    openCaps: row?.open_caps ?? 0,
    targetPrefix: row?.target_prefix ?? null,
  };
}

/** From the commit on the API refuses requests of the account; what began before is found as open work. */
async function begin({ pool, nowMs, actor }: Operation, accountId: string, prefix: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `update svc.accounts set status = ${BEGIN.to} where id = $1 and status ${BEGIN.from}`,
      [accountId],
    );
    if (rowCount !== 1) throw new Error(`account ${accountId} is no longer active`);
    await client.query('insert into svc.account_moves (account_id, target_prefix, begun_at) values ($1, $2, $3)', [
      accountId,
      prefix,
      new Date(nowMs),
    ]);
    await audit(client, nowMs, { accountId, actor, action: 'account.move_begun' });
  });
}

type Copied = ({ readonly ok: true } & MovedRows) | Extract<MovedAccount, { readonly ok: false }>;

async function copy(
  operation: Operation,
  source: pg.PoolClient,
  { accountId, target }: MoveOptions,
  /** It left, and did not arrive. */
  left: boolean,
): Promise<Copied> {
  const { pool } = operation;
  if (!left) {
    // Before the rows are guarded, so that the account's own jobs are not stopped for nothing.
    await foldAll(pool);
    const early = await readOpenWork(pool, accountId);
    if (early.length > 0) return { ok: false, code: 'account_has_open_work', open: early };
    await guardAccount(pool, accountId);
  }
  await source.query('begin isolation level repeatable read read only');
  const open = left ? [] : await readOpenWork(source, accountId);
  if (open.length > 0) {
    await release(pool, source, accountId);
    return { ok: false, code: 'account_has_open_work', open };
  }
  await raisePositions(target, await lastPosition(source, accountId));
  await foldAll(target);
  const arrival = await target.connect();
  try {
    await arrival.query('begin');
    const written = await write(operation, { source, arrival, accountId, left });
    if (written.ok) await arrival.query('commit');
    else if (!left) await release(pool, source, accountId);
    return written;
  } finally {
    // What is not committed ends with its connection.
    arrival.release(true);
  }
}

/** It has not left, and nothing was lost on the way: until the next call its own jobs go on. */
async function release(pool: pg.Pool, source: pg.PoolClient, accountId: string): Promise<void> {
  // The snapshot has locks on the tables whose triggers go.
  await source.query('rollback');
  await unguardAccount(pool);
  await inTransaction(pool, (client) => unparkDeliveries(client, accountId));
}

type Writing = {
  readonly source: pg.PoolClient;
  readonly arrival: pg.PoolClient;
  readonly accountId: string;
  readonly left: boolean;
};

/** Everything but the last commit. */
async function write(operation: Operation, { source, arrival, accountId, left }: Writing): Promise<Copied> {
  const { nowMs, actor } = operation;
  await speakAlike(source);
  await speakAlike(arrival);
  const columns = await loadColumns(source);
  const copied = await copyRows(source, arrival, columns, accountId);
  const decided = await decideTaken(arrival, copied.taken, { columns, left });
  if (!decided.ok) return decided;
  const { staying, replaced } = decided;
  const behind = [...staying.values()].reduce((sum, lines) => sum + lines.length, 0);
  const rows = copied.rows - behind;
  const differences = [
    ...compared(await digestRows(source, columns, accountId, staying), await digestRows(arrival, columns, accountId)),
    ...differing('sums of the books', await sumBooks(source, accountId), await sumBooks(arrival, accountId)),
  ];
  const cursors = left ? await storedCursors(source, accountId) : await loadReadingCursors(source, accountId);
  await source.query('commit');
  if (differences.length > 0) return { ok: false, code: 'copies_differ', differences };
  await adoptCursors(arrival, cursors);
  if (!(await passFolded(arrival, accountId))) return { ok: false, code: 'target_busy' };
  await audit(arrival, nowMs, { accountId, actor, action: 'account.arrived', detail: { rows, behind, replaced } });
  // Whatever a commit checks is checked before the other cell gives the account away.
  await arrival.query('set constraints all immediate');
  if (!left) await leave(operation, source, accountId, cursors);
  return { ok: true, rows, behind };
}

async function storedCursors(client: pg.ClientBase, accountId: string): Promise<ReadingCursors> {
  const { rows } = await client.query<{ cursors: ReadingCursors }>(
    'select cursors from svc.account_moves where account_id = $1',
    [accountId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`account ${accountId} has moved without a record of it`);
  return row.cursors;
}

/** The point of no return. On the connection with the lock: nobody has taken the guard away since. */
async function leave(
  { nowMs, actor }: Operation,
  source: pg.PoolClient,
  accountId: string,
  cursors: ReadingCursors,
): Promise<void> {
  await source.query('begin');
  const { rowCount } = await source.query(
    `update svc.accounts set status = ${LEAVE.to} where id = $1 and status ${LEAVE.from}`,
    [accountId],
  );
  if (rowCount !== 1) throw new Error(`account ${accountId} is no longer moving`);
  await source.query('update svc.account_moves set moved_at = $2, cursors = $3 where account_id = $1', [
    accountId,
    new Date(nowMs),
    JSON.stringify(cursors),
  ]);
  await audit(source, nowMs, { accountId, actor, action: 'account.moved' });
  await source.query('commit');
}

/** No job of this cell finds something to do for the account from now on. The intents go on in the other cell. */
async function finish({ pool, nowMs }: Operation, accountId: string, moved: MovedRows): Promise<MovedAccount> {
  await guardAccount(pool, accountId);
  await inTransaction(pool, async (client) => {
    await allowLeaving(client, accountId);
    await client.query(
      `update svc.intents set status = ${sqlStatus(INTENT_STATUS.canceled)}
       where account_id = $1 and status ${sqlIs(INTENT_STATUS.requires_payment, INTENT_STATUS.mismatched)}`,
      [accountId],
    );
    await client.query('delete from svc.payment_references where account_id = $1', [accountId]);
    // Webhooks warns of endpoints that fail here, and may not ask for the status of accounts.
    await client.query('update svc.endpoints set failing_since = null, warned_at = null where account_id = $1', [
      accountId,
    ]);
    await client.query('update svc.account_moves set arrived_at = $2 where account_id = $1', [
      accountId,
      new Date(nowMs),
    ]);
  });
  return { ok: true, changed: true, rows: moved.rows, behind: moved.behind };
}

function compared(here: readonly TableDigest[], there: readonly TableDigest[]): readonly MoveDifference[] {
  return here.flatMap(({ table, rows, digest }, index) => {
    const other = there[index];
    const shown = (count: number, sum: string) => `${count} rows, ${sum}`;
    return differing(table, shown(rows, digest), shown(other?.rows ?? 0, other?.digest ?? ''));
  });
}

const differing = (table: string, here: string, there: string): readonly MoveDifference[] =>
  here === there ? [] : [{ table, here, there }];

type MoveEntry = {
  readonly accountId: string;
  readonly actor: string;
  readonly action: string;
  readonly detail?: Readonly<Record<string, unknown>>;
};

async function audit(client: pg.ClientBase, nowMs: number, entry: MoveEntry): Promise<void> {
  for (const mode of MODES) await writeAudit(client, nowMs, { ...entry, mode, target: entry.accountId });
}

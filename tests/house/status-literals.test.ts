import { describe, expect, test } from 'vitest';
import { committedFiles, NOTHING, planted } from './source-tree.ts';
import { strayStatusLiterals } from './status-literals.ts';

const core = 'packages/core/src/ledger/planted.ts';
const postgres = 'packages/postgres/src/ledger/planted.ts';
const strayIn = (path: string, text: string) => strayStatusLiterals(planted(NOTHING, { [path]: text }));

test('a status is written as a literal only at its noun', () => {
  expect(strayStatusLiterals(committedFiles())).toEqual([]);
});

describe('a planted literal is found', () => {
  test.each([
    ['a comparison', "export const f = (batch: Batch) => batch.status === 'mined';"],
    ['a comparison from the other side', "export const f = (intent?: Intent) => 'failed' !== intent?.status;"],
    ['a comparison of a named status', "export const f = (batchStatus: string) => batchStatus === 'finalized';"],
    ['a comparison by key', "export const f = (row: Row) => row['intent_status'] === 'completed';"],
    ['an object', "export const f = (row: Row) => ({ ...row, status: 'queued' });"],
    ['an object with a choice', "export const f = (a: boolean) => ({ settlement: a ? 'batched' : 'held' });"],
    ['an object as constant', "export const row = { status: 'active' as const };"],
    ['the columns of an insert', "export const columns = { status: `'pending'` };"],
    ['a move', "export const move = { from: ['queued'], to: kept };"],
    ['an assignment', "export const f = (row: Row) => { row.status = 'done'; };"],
    ['a variable', "const status = 'retired';"],
    ['a switch', "export const f = (row: Row) => { switch (row.status) { case 'mined': return 1; } };"],
    ['a list of one', "export const f = (row: Row) => ['mined'].includes(row.status);"],
    ['a list', "const OPEN = ['queued', 'held', 'batched', 'mined'];"],
    ['a set', "const ENDED = new Set(['completed', 'failed']);"],
    ['a union', "type Ended = 'completed' | 'failed' | undefined;"],
    ['the type of a property', "type Row = { readonly status: 'mined' };"],
    ['an argument', "await writePaymentResults(client, results, 'batched', nowMs);"],
    ['an expected column', "const text = expectedColumn(`'queued'`, 'expected');"],
  ])('in core: %s', (_, text) => {
    expect(strayIn(core, text)).toEqual([expect.stringContaining(`${core}:1 writes '`)]);
  });

  test.each([
    ['a condition', "select from svc.batches b where b.status = 'mined'"],
    ['a negation', "select from svc.batches where status <> 'dropped'"],
    ['a list', "select from svc.batches where status in ('signed', 'broadcast')"],
    ['a list that is left out', "select from svc.batches where status not in ('replaced')"],
    ['an assignment', "update svc.batches set status = 'replaced' where id = $1"],
    ['a choice', "update svc.endpoints set status = case when $1 then 'disabled' else status end"],
    ['a choice with a hole', "update svc.endpoints set status = case when ${OFF} then 'disabled' else status end"],
    ['an insert', "insert into svc.relayers (network, status) values ($1, 'active')"],
    ['an insert from a query', "insert into svc.relayers (network, status) select $1, 'draining', $2 from svc.payouts"],
    ['a status behind a function', "select from svc.intents where ${withoutIndex('status')} = 'requires_payment'"],
    ['a parameter', "update svc.settlements set batch_id = case when $5::text = 'queued' then null end"],
    ['rows', "select from (values ('pending'), ('failed')) as wanted (status)"],
    ['a part of a statement', "status = 'failed', reason = 'endpoint_deleted'"],
  ])('in SQL: %s', (_, sql) => {
    expect(strayIn(postgres, `const text = \`${sql}\`;`)).toEqual([expect.stringContaining(`${postgres}:1 writes '`)]);
  });

  test('on its own line of a statement', () => {
    expect(strayIn(postgres, "const text = `\n  select from ${a}\n  where status = 'mined'`;")).toEqual([
      `${postgres}:3 writes 'mined'`,
    ]);
  });

  test.each(['services/api/src/planted.ts', 'cli/src/planted.ts', 'packages/chains/evm/src/send/planted.ts'])(
    'in %s',
    (path) => {
      expect(strayIn(path, "export const f = (row: Row) => row.status === 'mined';")).toHaveLength(1);
    },
  );
});

describe('what is allowed is not found', () => {
  test.each([
    ['a status at its noun in core', 'packages/core/src/lane/planted.ts', "const f = (b: B) => b.status === 'mined';"],
    ['a status at its noun in postgres', 'packages/postgres/src/lane/planted.ts', "const t = `status = 'mined'`;"],
    ['a name of the table', core, 'export const f = (b: B) => b.status === BATCH_STATUS.mined;'],
    ['a step by its machine', core, "transition(INTENT_TRANSITIONS, intent.status, 'processing', 'reorg');"],
    ['a status of the table in SQL', postgres, 'const t = `where status ${sqlIs(BATCH_STATUS.mined)}`;'],
    ['a status of another vocabulary', core, "export const f = (row: Row) => row.status === 'usable';"],
    ['an outcome', core, "export const f = (judgement: Judgement) => judgement.end === 'failed';"],
    ['a list of other words', core, "const WORDS = ['failed', 'all'];"],
    ['another column', postgres, "const t = `select from svc.events where scope = 'failed' and status = $1`;"],
    ['a key of JSON', postgres, "const t = `select json_build_object('closed', closed_at, 'status', status)`;"],
    ['a comment in SQL', postgres, "const t = `select 1 -- where status = 'mined'\n`;"],
    ['a block tag', 'packages/chains/evm/src/send/planted.ts', "await node.slot('finalized');"],
    ['a test', 'packages/core/src/ledger/planted.test.ts', "const row = { status: 'mined' };"],
    ['the interface', 'packages/protocol/src/wire/planted.ts', "const STATUSES = ['pending', 'completed'];"],
    ['orders of the example shop', 'sandbox/src/shop/planted.ts', "const f = (o: O) => o.status === 'failed';"],
  ])('%s', (_, path, text) => {
    expect(strayIn(path, text)).toEqual([]);
  });
});

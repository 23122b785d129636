import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertText, sameNames } from './insert-text.ts';
import { columnArrays, namedParameters } from './statement-parameters.ts';

type Row = { readonly payer: string; readonly asset: string; readonly cap: bigint; readonly note: string | null };
const rows: readonly Row[] = [
  { payer: 'ann', asset: 'usdc', cap: 10n ** 30n, note: null },
  { payer: 'bob', asset: 'eurc', cap: 2n, note: '{"quoted"}' },
];

describe('named parameters', () => {
  test('number the placeholders in the order of the types, from the position that is asked for', () => {
    const { at, next } = namedParameters({ payer: 'text', cap: 'numeric' }, 4);
    expect(at).toEqual({ payer: '$4::text', cap: '$5::numeric' });
    expect(next).toBe(6);
  });

  test('order the values by the types, whatever the order of the values', () => {
    const { values } = namedParameters({ payer: 'text', asset: 'text', cap: 'numeric' });
    expect(values({ cap: '1', asset: 'usdc', payer: 'ann' })).toEqual(['ann', 'usdc', '1']);
  });

  test('take only the names and the types of their statement', () => {
    const { values } = namedParameters({ payer: 'text', cap: 'numeric' });
    // @ts-expect-error: a name is missing.
    values({ payer: 'ann' });
    // @ts-expect-error: a name is not of the statement.
    values({ payer: 'ann', cap: '1', asset: 'usdc' });
    // @ts-expect-error: an amount is decimal text.
    values({ payer: 'ann', cap: 1 });
  });
});

describe('column arrays', () => {
  const payer = { payer: ['text', (row: Row) => row.payer] } as const;
  const asset = { asset: ['text', (row: Row) => row.asset] } as const;
  const cap = { cap: ['numeric', (row: Row) => row.cap.toString()] } as const;
  const note = { note: ['text', (row: Row) => row.note] } as const;

  test('make casts, names and values from one object', () => {
    const set = columnArrays<Row>({ ...payer, ...cap }, 2);
    expect(set.unnest('asked')).toBe('unnest($2::text[], $3::numeric[]) as asked (payer, cap)');
    expect(set.values(rows)).toEqual(['{"ann","bob"}', `{1${'0'.repeat(30)},2}`]);
    expect(set.next).toBe(4);
  });

  test('take only values of the column’s type', () => {
    // @ts-expect-error: a bigint is not text.
    columnArrays<Row>({ payer: ['text', (row) => row.cap] });
  });

  test('arrive as they were given, whatever they contain', async () => {
    type Any = {
      readonly text: string | null;
      readonly bytes: Uint8Array | null;
      readonly json: string | null;
      readonly whole: string | null;
      readonly flag: boolean | null;
      readonly at: string | null;
    };
    const { pool } = await createTestDatabase({ from: 'empty' });
    const set = columnArrays<Any>({
      text: ['text', (row) => row.text],
      bytes: ['bytea', (row) => row.bytes],
      json: ['jsonb', (row) => row.json],
      whole: ['numeric', (row) => row.whole],
      flag: ['boolean', (row) => row.flag],
      at: ['timestamptz', (row) => row.at],
    });
    const given = fc.record({
      // Text of a database has no NUL and no half of a pair.
      text: fc.option(
        fc.oneof(
          fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', '')),
          fc.constantFrom('', 'NULL', 'null', '{}', '{"a"}', '\\', '"', '\\"', '\\\\x00', ' , ', '\n\t'),
        ),
      ),
      bytes: fc.option(fc.uint8Array()),
      json: fc.option(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))),
      whole: fc.option(fc.bigInt()),
      flag: fc.option(fc.boolean()),
      at: fc.option(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })),
    });
    const text = `select text, bytes, json, whole::text, flag, at from ${set.unnestWithPlace('given')} order by place`;
    await fc.assert(
      fc.asyncProperty(fc.array(given, { maxLength: 20 }), async (drawn) => {
        const asked = drawn.map((row) => ({
          ...row,
          json: row.json && JSON.stringify(row.json),
          whole: row.whole?.toString() ?? null,
          at: row.at?.toISOString() ?? null,
        }));
        const read = await pool.query(text, set.values(asked));
        expect(read.rows).toEqual(
          drawn.map((row) => ({
            ...row,
            bytes: row.bytes && Buffer.from(row.bytes),
            whole: row.whole?.toString() ?? null,
          })),
        );
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['in one order', { ...payer, ...asset, ...cap, ...note }],
    ['in another order', { ...note, ...cap, ...asset, ...payer }],
  ])('reach the same columns when they are declared %s', async (_, columns) => {
    const { pool } = await createTestDatabase({ from: 'empty' });
    const set = columnArrays<Row>(columns);
    const named = `select payer, asset, cap::text, note from`;
    const stored = rows.map((row) => ({ ...row, cap: row.cap.toString() }));
    const read = await pool.query(`${named} ${set.unnestWithPlace('given')} order by place`, set.values(rows));
    expect(read.rows).toEqual(stored);
    await pool.query('create table kept (payer text, asset text, cap numeric, note text)');
    await pool.query(set.insertInto('kept'), set.values(rows));
    expect((await pool.query(`${named} kept order by payer`)).rows).toEqual(stored);
  });
});

describe('an insert', () => {
  const given = namedParameters({ asset: 'text', cap: 'numeric' });

  test('has each value under its column, whatever their order', async () => {
    const { pool } = await createTestDatabase({ from: 'empty' });
    await pool.query('create table kept (payer text, asset text, cap numeric)');
    await pool.query(
      insertText('kept', { cap: given.at.cap, payer: `'ann'`, asset: given.at.asset }),
      given.values({ cap: '1', asset: 'usdc' }),
    );
    await pool.query(insertText('kept', { ...sameNames('cap', 'asset'), payer: `'bob'` }, 'from kept'));
    expect((await pool.query('select payer, asset, cap::text from kept order by payer')).rows).toEqual([
      { payer: 'ann', asset: 'usdc', cap: '1' },
      { payer: 'bob', asset: 'usdc', cap: '1' },
    ]);
  });
});

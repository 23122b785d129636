import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExportedBooking } from './export-store.ts';
import { csvLine, exportLines } from './export-text.ts';

/** A reader by RFC 4180, with what a spreadsheet makes of the guard. */
function readCsv(line: string): string[] {
  expect(line.endsWith('\r\n')).toBe(true);
  const cells: string[] = [];
  let rest = line.slice(0, -2);
  for (;;) {
    const [whole = '', quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/.exec(rest) ?? [];
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    rest = rest.slice(whole.length);
    if (rest === '') return cells;
    expect(rest.startsWith(',')).toBe(true);
    rest = rest.slice(1);
  }
}

const unguarded = (cell: string) => cell.replace(/^'/, '');
const tricky = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '"', ',', '\r', '\n', '\t', ' ', '1', "'", 'a') }),
);

test('a row of any text comes back cell by cell', () => {
  fc.assert(
    fc.property(
      fc.array(
        tricky.filter((text) => !text.startsWith("'")),
        { minLength: 1, maxLength: 6 },
      ),
      (cells) => {
        expect(readCsv(csvLine(cells)).map(unguarded)).toEqual(cells);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('no cell begins as a formula, unless it is a number', () => {
  fc.assert(
    fc.property(tricky, (text) => {
      const [cell = ''] = readCsv(csvLine([text]));
      expect(/^-?\d+(?:\.\d+)?$/.test(cell) || !/^\s*[=+\-@|%]|^[\t\r\n]/.test(cell)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  for (const text of ['=HYPERLINK("//evil")', '+1-1', '-2+3', '@SUM(A1)', '\t=1', ' =1', '-1e5', '%0A'])
    expect(readCsv(csvLine([text]))[0]).toBe(`'${text}`);
});

test('amounts stay numbers, and null is empty', () => {
  expect(csvLine(['-0.000001', '12', null, true])).toBe('-0.000001,12,,true\r\n');
});

test('metadata has no semicolon, at which a spreadsheet would begin a cell, and is the same JSON', () => {
  const said = { note: ";=cmd|' /C calc'!A0;", 'a;b': '\\;' };
  const entry = { id: 'lg_1', asset: '0x', accountName: 'payer', party: '0x', amountAtomic: -1n, transactionId: '0x' };
  const booking = {
    id: 'lg_1',
    position: 1n,
    network: 'eip155:84532',
    payment: { id: 'pay_1', intentId: 'pi_1', asset: '0x', payer: null },
    metadata: JSON.stringify(said),
    sent: null,
    entries: [{ ...entry, logIndex: 0, reverses: null, createdAtMs: 0 }],
  } as unknown as ExportedBooking;
  const line = exportLines('payments', 'csv', booking);
  expect(line).not.toContain(';');
  expect(JSON.parse(readCsv(line).at(-1) ?? '')).toEqual(said);
});

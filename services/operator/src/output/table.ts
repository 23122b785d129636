// Rows under headings, as wide as their longest cell. Cells come from databases and other people's machines, so nothing in
// them reaches the terminal as a command to it.
import { stripVTControlCharacters } from 'node:util';
import type { Paint } from './paint.ts';

export type Column<Row> = { readonly head: string; readonly cell: (row: Row) => string };

const GAP = '  ';

export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paint: Paint): string {
  const cells = rows.map((row) => columns.map(({ cell }) => harmless(cell(row))));
  const widths = columns.map(({ head }, index) => Math.max(head.length, ...cells.map((line) => widthOf(line[index]))));
  const lineOf = (line: readonly string[]) =>
    line
      .map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell))))
      .join(GAP)
      .trimEnd();
  return [paint.bold(lineOf(columns.map(({ head }) => head))), ...cells.map(lineOf)].join('\n');
}

/** One line of printable text, whatever came in. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
}

const segmenter = new Intl.Segmenter();

function widthOf(cell = ''): number {
  return [...segmenter.segment(cell)].length;
}

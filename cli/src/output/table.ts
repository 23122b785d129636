// Prints rows under headings, with columns as wide as their longest cell. Cells may hold text from outside, so control
// characters never reach the terminal.
import { stripVTControlCharacters } from 'node:util';
import type { Paint } from '@svc-pay/runtime/terminal/paint';

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

/** Turns any text into one line of printable characters. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
}

const segmenter = new Intl.Segmenter();

function widthOf(cell = ''): number {
  return [...segmenter.segment(cell)].length;
}

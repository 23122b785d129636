// What was done to whom, at which point of a payment's way, how often, and how it ended: one picture.
import { FAULTS } from './fault-kinds.ts';
import type { SettlementResult } from './run-settlement.ts';

const ROW = 26;
const COLUMN = 46;
const LEFT = 190;
const TOP = 150;

type Cell = { readonly strikes: number; readonly most: number };

export function drawMatrix(
  { struck, violations, payments, inFlightP50, seconds }: SettlementResult,
  seed: number,
): string {
  const places = [...FAULTS].map(([kind, { target, action, point }]) => ({ kind, row: `${target}: ${action}`, point }));
  const rows = [...new Set(places.map(({ row }) => row))];
  const points = [...new Set(places.map(({ point }) => point))];
  const cellOf = (row: string, point: string): Cell | undefined => {
    const kinds = places.filter((place) => place.row === row && place.point === point).map(({ kind }) => kind);
    if (kinds.length === 0) return undefined;
    const of = struck.filter(({ kind }) => kinds.includes(kind));
    return { strikes: of.length, most: Math.max(0, ...of.map(({ inFlight }) => inFlight)) };
  };
  const good = violations.length === 0;
  const [width, height] = [LEFT + points.length * COLUMN + 20, TOP + rows.length * ROW + 40];
  const text = (x: number, y: number, words: string, more = '') =>
    `<text x="${x}" y="${y}" ${more}>${escaped(words)}</text>`;
  const heads = points.map((point, index) => {
    const [x, y] = [LEFT + index * COLUMN + COLUMN / 2, TOP - 8];
    return text(x, y, point, `transform="rotate(-45 ${x} ${y})"`);
  });
  const cells = rows.flatMap((row, down) => {
    const y = TOP + down * ROW;
    return [
      text(LEFT - 8, y + 17, row, 'text-anchor="end"'),
      ...points.flatMap((point, across) => drawCell(cellOf(row, point), LEFT + across * COLUMN, y, good)),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(
      8,
      18,
      `seed ${seed}: ${payments} payments, ${struck.length} strikes, ${violations.length} violations, median ${inFlightP50} in flight, ${seconds} s`,
      'font-weight="bold"',
    ),
    text(
      8,
      34,
      'In a cell: strikes, and below the most payments in flight at one of them. Grey: not struck in this run.',
    ),
    ...heads,
    ...cells,
    '</svg>',
    '',
  ].join('\n');
}

function drawCell(cell: Cell | undefined, x: number, y: number, good: boolean): readonly string[] {
  if (cell === undefined) return [];
  const fill = cell.strikes === 0 ? '#e5e5e5' : good ? '#b7e1c0' : '#f2b8b5';
  const middle = x + (COLUMN - 4) / 2;
  return [
    `<rect x="${x}" y="${y}" width="${COLUMN - 4}" height="${ROW - 3}" rx="3" fill="${fill}"/>`,
    ...(cell.strikes === 0
      ? []
      : [
          `<text x="${middle}" y="${y + 10}" text-anchor="middle" font-weight="bold">${cell.strikes}</text>`,
          `<text x="${middle}" y="${y + 20}" text-anchor="middle" font-size="9">${cell.most}</text>`,
        ]),
  ];
}

const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

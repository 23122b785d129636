// Curves over the seconds of a run, one panel under the other, with marks as thin lines.

export type Curve = { readonly name: string; readonly values: readonly number[] };
export type Panel = { readonly title: string; readonly curves: readonly Curve[] };

type Drawing = {
  readonly title: string;
  /** Of each value of a curve. */
  readonly seconds: readonly number[];
  readonly panels: readonly Panel[];
  readonly marks: readonly number[];
  /** Says what the marks are. */
  readonly footer: string;
};

const WIDTH = 860;
const PANEL = 150;
const LEFT = 64;
const RIGHT = 130;
const TOP = 44;
const GAP = 44;
const COLOURS = ['#2563eb', '#d97706', '#059669', '#7c3aed', '#dc2626', '#0891b2', '#4b5563', '#be185d'];

export function drawPanels({ title, seconds, panels, marks, footer }: Drawing): string {
  const height = TOP + panels.length * (PANEL + GAP);
  const last = seconds.at(-1) ?? 1;
  const x = (at: number) => LEFT + (at / last) * (WIDTH - LEFT - RIGHT);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="8" y="20" font-weight="bold" font-size="13">${title}</text>`,
    ...panels.flatMap((panel, index) => drawPanel(panel, TOP + index * (PANEL + GAP), seconds, x, marks)),
    `<text x="${LEFT}" y="${height - 10}">0</text>`,
    `<text x="${x(last)}" y="${height - 10}" text-anchor="end">${footer}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel(
  { title, curves }: Panel,
  top: number,
  seconds: readonly number[],
  x: (at: number) => number,
  marks: readonly number[],
): readonly string[] {
  const most = Math.max(Number.MIN_VALUE, ...curves.flatMap(({ values }) => values)) * 1.1;
  const y = (value: number) => top + PANEL - (value / most) * (PANEL - 16);
  const right = x(seconds.at(-1) ?? 1);
  return [
    `<text x="${LEFT}" y="${top + 6}" font-weight="bold">${title}</text>`,
    ...marks.map(
      (at) =>
        `<line x1="${x(at).toFixed(1)}" x2="${x(at).toFixed(1)}" y1="${top + 12}" y2="${top + PANEL}" stroke="#e5e7eb"/>`,
    ),
    `<line x1="${LEFT}" x2="${right}" y1="${top + PANEL}" y2="${top + PANEL}" stroke="#9ca3af"/>`,
    ...[0.5, 1].map(
      (share) =>
        `<text x="${LEFT - 6}" y="${y((most / 1.1) * share) + 4}" text-anchor="end">${short((most / 1.1) * share)}</text>`,
    ),
    ...curves.flatMap(({ name, values }, index) => {
      const colour = COLOURS[index % COLOURS.length] ?? '#000000';
      const points = values.map((value, at) => `${x(seconds[at] ?? 0).toFixed(1)},${y(value).toFixed(1)}`);
      return [
        `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.join(' ')}"/>`,
        ...(curves.length > 1
          ? [
              `<text x="${right + 8}" y="${top + 24 + index * 14}" fill="${colour}">${name} ${short(values.at(-1) ?? 0)}</text>`,
            ]
          : []),
      ];
    }),
  ];
}

const short = (value: number) => (value >= 10 ? String(Math.round(value)) : value.toFixed(2));

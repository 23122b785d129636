// A soak as four curves over time, each with the faults as thin lines.
import type { Sample } from './sample-world.ts';

const WIDTH = 860;
const PANEL = 150;
const LEFT = 64;
const RIGHT = 130;
const TOP = 44;
const GAP = 44;
const COLOURS = ['#2563eb', '#d97706', '#059669', '#7c3aed', '#dc2626'];

type Curve = { readonly name: string; readonly values: readonly number[] };
type Panel = { readonly title: string; readonly curves: readonly Curve[] };

export function drawSoak(title: string, samples: readonly Sample[], faultSeconds: readonly number[]): string {
  const names = Object.keys(samples[0]?.parts ?? {});
  const perPart = (read: (sample: Sample, name: string) => number): readonly Curve[] =>
    names.map((name) => ({ name, values: samples.map((sample) => read(sample, name)) }));
  const panels: readonly Panel[] = [
    { title: 'payments completed a second', curves: [{ name: 'completed', values: ratesOf(samples) }] },
    { title: 'memory, MiB', curves: perPart(({ parts }, name) => parts[name]?.mebibytes ?? 0) },
    { title: 'open sockets', curves: perPart(({ parts }, name) => parts[name]?.sockets ?? 0) },
    {
      title: 'tables: stored KiB per payment',
      curves: [{ name: 'KiB', values: samples.map(({ bytesPerPayment }) => bytesPerPayment / 1_024) }],
    },
    {
      title: 'tables: dead rows per live row',
      curves: [{ name: 'dead share', values: samples.map(({ deadShare }) => deadShare) }],
    },
  ];
  const height = TOP + panels.length * (PANEL + GAP);
  const last = samples.at(-1)?.seconds ?? 1;
  const x = (seconds: number) => LEFT + (seconds / last) * (WIDTH - LEFT - RIGHT);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="8" y="20" font-weight="bold" font-size="13">${title}</text>`,
    ...panels.flatMap((panel, index) => drawPanel(panel, TOP + index * (PANEL + GAP), samples, x, faultSeconds)),
    `<text x="${LEFT}" y="${height - 10}">0</text>`,
    `<text x="${x(last)}" y="${height - 10}" text-anchor="end">${Math.round(last / 60)} minutes; thin lines are faults</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel(
  { title, curves }: Panel,
  top: number,
  samples: readonly Sample[],
  x: (seconds: number) => number,
  faultSeconds: readonly number[],
): readonly string[] {
  const most = Math.max(Number.MIN_VALUE, ...curves.flatMap(({ values }) => values)) * 1.1;
  const y = (value: number) => top + PANEL - (value / most) * (PANEL - 16);
  const right = x(samples.at(-1)?.seconds ?? 1);
  return [
    `<text x="${LEFT}" y="${top + 6}" font-weight="bold">${title}</text>`,
    ...faultSeconds.map(
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
      const points = values.map((value, at) => `${x(samples[at]?.seconds ?? 0).toFixed(1)},${y(value).toFixed(1)}`);
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

/** From one sample to the next. */
function ratesOf(samples: readonly Sample[]): readonly number[] {
  return samples.map((sample, index) => {
    const before = samples[index - 1];
    if (before === undefined) return 0;
    return Math.max(0, (sample.completed - before.completed) / Math.max(1, sample.seconds - before.seconds));
  });
}

const short = (value: number) => (value >= 10 ? String(Math.round(value)) : value.toFixed(2));

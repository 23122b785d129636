// A flame graph as one SVG file without a script: width is time, what stands on a frame was called by it.
import type { Frame } from './fold-profile.ts';

const WIDTH = 1_400;
const ROW = 17;
const MARGIN = 8;
const CHAR = 6.2;
/** Narrower ones would not be seen. */
const NARROWEST = 0.7;
const COLOURS = { ours: '#e8833a', library: '#d9b44a', node: '#7fa7c9', engine: '#a9b7a0' };

type Box = { readonly x: number; readonly width: number; readonly depth: number; readonly frame: Frame };

export function drawFlame(title: string, root: Frame): string {
  const boxes: Box[] = [];
  const place = (frame: Frame, x: number, depth: number) => {
    const width = (frame.totalUs / root.totalUs) * (WIDTH - 2 * MARGIN);
    if (width < NARROWEST) return;
    boxes.push({ x, width, depth, frame });
    let left = x;
    for (const below of [...frame.below.values()].toSorted((one, other) => other.totalUs - one.totalUs)) {
      place(below, left, depth + 1);
      left += (below.totalUs / root.totalUs) * (WIDTH - 2 * MARGIN);
    }
  };
  place(root, MARGIN, 0);
  const rows = boxes.reduce((most, { depth }) => Math.max(most, depth), 0) + 1;
  const height = rows * ROW + 44;
  const drawn = boxes.map((box) => drawBox(box, height, root.totalUs)).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">
<rect width="100%" height="100%" fill="#fffdf8"/>
<text x="${MARGIN}" y="18" font-size="14">${escaped(title)}</text>
${drawn}
</svg>
`;
}

function drawBox({ x, width, depth, frame }: Box, height: number, wholeUs: number): string {
  const y = height - MARGIN - (depth + 1) * ROW;
  const label = `${frame.name} ${frame.place}`.trim();
  const share = ((frame.totalUs / wholeUs) * 100).toFixed(1);
  const letters = Math.floor((width - 4) / CHAR);
  const text =
    letters < 3 ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escaped(label.slice(0, letters))}</text>`;
  const rect = `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.3, width - 0.4).toFixed(1)}" height="${ROW - 1}" fill="${colourOf(frame)}"/>`;
  return `<g><title>${escaped(label)} ${share} %</title>${rect}${text}</g>`;
}

function colourOf({ place }: Frame): string {
  if (place === '') return COLOURS.engine;
  if (place.startsWith('node:')) return COLOURS.node;
  return place.startsWith('~') ? COLOURS.library : COLOURS.ours;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

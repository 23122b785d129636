// How cost moves along each axis: one panel per axis, CPU of a payment as bars.

export type Point = {
  readonly axis: string;
  readonly value: number;
  readonly perSecond: number;
  readonly cpuMs: number;
  /** By part; together `cpuMs`. */
  readonly cpuMsOf: Readonly<Record<string, number>>;
  readonly walBytes: number;
  readonly failed: number;
};

const PANEL = { width: 250, height: 190, gap: 24, left: 46, top: 52 };
const PLOT_HEIGHT = 110;

export function drawGrowth(points: readonly Point[], machine: string): string {
  const axes = [...new Set(points.map(({ axis }) => axis))];
  const most = Math.max(...points.map(({ cpuMs }) => cpuMs));
  const width = PANEL.left + axes.length * (PANEL.width + PANEL.gap);
  const panels = axes.map((axis, index) =>
    drawPanel(
      axis,
      points.filter((point) => point.axis === axis),
      most,
      PANEL.left + index * (PANEL.width + PANEL.gap),
    ),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.top + PANEL.height + 20}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="12" y="20" font-size="14">CPU of one payment, in milliseconds, and settlements a second</text>
<text x="12" y="36" fill="#666">${machine.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>
${panels.join('\n')}
</svg>
`;
}

function drawPanel(axis: string, points: readonly Point[], most: number, left: number): string {
  const step = PANEL.width / points.length;
  const bars = points.map(({ value, cpuMs, perSecond }, index) => {
    const height = (cpuMs / most) * PLOT_HEIGHT;
    const x = left + index * step + step * 0.15;
    const y = PANEL.top + 20 + PLOT_HEIGHT - height;
    const middle = x + step * 0.35;
    return `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${(step * 0.7).toFixed(1)}" height="${height.toFixed(1)}" fill="#3b7ea1"/>
<text x="${middle.toFixed(1)}" y="${(y - 4).toFixed(1)}" text-anchor="middle">${cpuMs.toFixed(2)}</text>
<text x="${middle.toFixed(1)}" y="${PANEL.top + PLOT_HEIGHT + 36}" text-anchor="middle">${value.toLocaleString('en')}</text>
<text x="${middle.toFixed(1)}" y="${PANEL.top + PLOT_HEIGHT + 52}" text-anchor="middle" fill="#666">${Math.round(perSecond)}/s</text>`;
  });
  return `<text x="${left}" y="${PANEL.top + 8}" font-weight="bold">${axis}</text>
${bars.join('\n')}`;
}

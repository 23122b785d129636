// A chart over time, drawn as SVG: bars, or lines that leave gaps where there is nothing to tell. A pointer or the arrow keys
// choose a moment, whose values are said above it; a table has all of them for those who do not see the picture.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { axisOf, labelled, nearest, runsOf } from './scale.ts';

type Series = {
  readonly name: string;
  readonly look: 'main' | 'second' | 'bad';
  readonly values: readonly (number | null)[];
};

export type TrendProps = {
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  /** Bars stand on each other. */
  readonly series: readonly Series[];
  readonly shortLabels: readonly string[];
  readonly longLabels: readonly string[];
  readonly axis: (value: number) => string;
  /** The value of a series at a moment, as it is said. */
  readonly told: (series: number, index: number) => string;
  /** What is said while no moment is chosen. */
  readonly rest: string;
  readonly height?: number;
  /** The largest value of the axis, where it is known. */
  readonly most?: number;
};

const LEFT = 60;
const BOTTOM = 22;
const TOP = 8;

/** The width that the box has now; 0 before it is known. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, []);
  return { box, width };
}

export function Trend(props: TrendProps) {
  const { title, series, longLabels, told, rest, height = 180 } = props;
  const { box, width } = useWidth();
  const [chosen, setChosen] = useState<number>();
  const count = longLabels.length;
  const inner = Math.max(0, width - LEFT);
  const wordsAt = (index: number) =>
    `${longLabels[index]}: ${series.map(({ name }, each) => (series.length > 1 ? `${name} ${told(each, index)}` : told(each, index))).join(' · ')}`;
  const point = (event: PointerEvent<HTMLDivElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setChosen(nearest(event.clientX - left - LEFT, inner, count));
  };
  const press = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count };
    const step = steps[event.key];
    if (event.key === 'Escape') setChosen(undefined);
    if (step === undefined) return;
    event.preventDefault();
    setChosen((before) => Math.min(count - 1, Math.max(0, (before ?? (step > 0 ? -1 : count)) + step)));
  };
  const shown = chosen === undefined || chosen >= count ? undefined : chosen;
  return (
    <figure className="m-0">
      <figcaption className="flex min-h-6 items-center gap-x-4 gap-y-1 px-4 pt-3 pb-2 text-[0.857rem] text-soft max-sm:flex-wrap">
        <span className="min-w-0 flex-1 truncate">{shown === undefined ? rest : wordsAt(shown)}</span>
        {series.length > 1 &&
          series.map(({ name, look }) => (
            <span key={name} className="flex flex-none items-center gap-1.5">
              <span className={`chart-mark ${look}`} />
              {name}
            </span>
          ))}
      </figcaption>
      <div
        ref={box}
        className="chart-box px-0"
        role="slider"
        tabIndex={0}
        aria-label={`${title}: choose a moment with the arrow keys`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count - 1)}
        aria-valuenow={shown ?? Math.max(0, count - 1)}
        aria-valuetext={shown === undefined ? rest : wordsAt(shown)}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
        onKeyDown={press}
      >
        {width > 0 && <Drawing {...props} height={height} width={width} chosen={shown} />}
      </div>
      <ValueTable {...props} />
    </figure>
  );
}

function Drawing({
  kind,
  series,
  shortLabels,
  axis,
  height,
  width,
  chosen,
  most,
}: TrendProps & { readonly width: number; readonly height: number; readonly chosen: number | undefined }) {
  const count = shortLabels.length;
  const sums = shortLabels.map((_, index) =>
    kind === 'bars'
      ? series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
      : Math.max(0, ...series.map(({ values }) => values[index] ?? 0)),
  );
  const { top, lines } = most === undefined ? axisOf(Math.max(0, ...sums)) : { top: most, lines: [0, most / 2, most] };
  const right = 16;
  const [plotWidth, plotHeight] = [Math.max(1, width - LEFT - right), height - TOP - BOTTOM];
  const slot = plotWidth / Math.max(1, count);
  const xOf = (index: number) => LEFT + slot * (index + 0.5);
  const yOf = (value: number) => TOP + plotHeight * (1 - Math.min(1, value / top));
  const barWidth = Math.max(1.5, Math.min(56, slot * 0.62));
  return (
    <svg aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="block">
      {lines.map((value) => (
        <g key={value}>
          <line
            className={value === 0 ? 'chart-base' : 'chart-grid'}
            x1={LEFT}
            x2={width - right}
            y1={yOf(value)}
            y2={yOf(value)}
          />
          <text className="chart-text" x={LEFT - 8} y={yOf(value)} textAnchor="end" dominantBaseline="middle">
            {axis(value)}
          </text>
        </g>
      ))}
      {labelled(count, plotWidth).map((index) => (
        <text key={index} className="chart-text" x={xOf(index)} y={height - 6} textAnchor="middle">
          {shortLabels[index]}
        </text>
      ))}
      {chosen !== undefined && (
        <rect className="chart-band" x={xOf(chosen) - slot / 2} y={TOP} width={slot} height={plotHeight} />
      )}
      {kind === 'bars' &&
        shortLabels.map((_, index) => {
          let below = 0;
          return series.map(({ name, look, values }) => {
            const value = values[index] ?? 0;
            const from = below;
            below += value;
            if (value === 0) return null;
            const y = yOf(below);
            return (
              <rect
                key={`${name} ${index}`}
                className={`chart-bar ${look}`}
                x={xOf(index) - barWidth / 2}
                y={y}
                width={barWidth}
                height={Math.max(1, yOf(from) - y)}
                rx={Math.min(2, barWidth / 3)}
              />
            );
          });
        })}
      {kind === 'lines' &&
        series.map(({ name, look, values }) => (
          <g key={name}>
            {runsOf(values).map((run) => (
              <path
                key={run[0]}
                className={`chart-line ${look}`}
                d={run.map((index, at) => `${at === 0 ? 'M' : 'L'}${xOf(index)} ${yOf(values[index] ?? 0)}`).join('')}
              />
            ))}
            {runsOf(values)
              .filter((run) => run.length === 1 || count <= 31)
              .flat()
              .map((index) => (
                <circle
                  key={index}
                  className={`chart-dot ${look}`}
                  cx={xOf(index)}
                  cy={yOf(values[index] ?? 0)}
                  r={2.5}
                />
              ))}
            {chosen !== undefined && values[chosen] !== null && values[chosen] !== undefined && (
              <circle className={`chart-dot ${look}`} cx={xOf(chosen)} cy={yOf(values[chosen])} r={4} />
            )}
          </g>
        ))}
    </svg>
  );
}

/** For those who do not see the picture. A table takes no height from its class, hence the box around it. */
function ValueTable({ title, series, longLabels, told }: TrendProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {longLabels.map((label, index) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ name }, each) => (
                <td key={name}>{told(each, index)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

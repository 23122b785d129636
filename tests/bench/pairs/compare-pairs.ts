// Medians of pairs of runs.
import { median } from '../../quantile.ts';

export type RunFigures = Readonly<Record<string, number | string>>;
export type Pair = { readonly here: RunFigures; readonly other: RunFigures };

/** A table: the medians of both, and the median of the ratios that each pair has, which the hour of the pair cancels out of. */
export function comparePairs(pairs: readonly Pair[]): readonly string[] {
  const names = Object.keys(pairs[0]?.here ?? {}).filter((name) =>
    pairs.every(({ here, other }) => typeof here[name] === 'number' && typeof other[name] === 'number'),
  );
  return [
    `| median of ${pairs.length} pairs | here | other | here to other | lowest | highest |`,
    '|---|---|---|---|---|---|',
    ...names.map((name) => {
      const values = pairs.map(({ here, other }) => ({ here: Number(here[name]), other: Number(other[name]) }));
      const ratios = values.flatMap(({ here, other }) => (other === 0 ? [] : [here / other]));
      const cells = [
        middleOf(values.map(({ here }) => here)),
        middleOf(values.map(({ other }) => other)),
        ...(ratios.length === 0 ? ['–', '–', '–'] : [middleOf(ratios), Math.min(...ratios), Math.max(...ratios)]),
      ];
      return `| ${name} | ${cells.map((cell) => (typeof cell === 'number' ? Number(cell.toFixed(3)) : cell)).join(' | ')} |`;
    }),
  ];
}

/** Of an even number the mean of the two in the middle. */
function middleOf(values: readonly number[]): number {
  return (median(values) - median(values.map((value) => -value))) / 2;
}

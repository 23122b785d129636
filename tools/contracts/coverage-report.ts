// Sums an lcov report over the files of one folder.

export type Coverage = {
  readonly linesHit: number;
  readonly linesFound: number;
  readonly branchesHit: number;
  readonly branchesFound: number;
  /** `file:line` of every line and branch that no test reached. */
  readonly missed: readonly string[];
};

export function readLcov(lcov: string, folder: string): Coverage {
  let file = '';
  const total = { linesHit: 0, linesFound: 0, branchesHit: 0, branchesFound: 0 };
  const missed: string[] = [];
  for (const line of lcov.split('\n')) {
    const [key = '', value = ''] = line.split(/:(.*)/);
    if (key === 'SF') file = value;
    if (!file.startsWith(folder)) continue;
    const fields = value.split(',');
    if (key === 'DA') {
      total.linesFound += 1;
      if (fields[1] === '0') missed.push(`${file}:${fields[0]}`);
      else total.linesHit += 1;
    }
    if (key === 'BRDA') {
      total.branchesFound += 1;
      if (fields[3] === '0' || fields[3] === '-') missed.push(`${file}:${fields[0]} (branch ${fields[2]})`);
      else total.branchesHit += 1;
    }
  }
  return { ...total, missed };
}

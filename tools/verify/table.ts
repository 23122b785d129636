// The table at the end of a run: what was planned beside what it took.

export type Row = {
  readonly suite: string;
  readonly plannedSeconds: number;
  readonly actualSeconds: number;
  readonly passed: number;
  readonly failed: number;
  /** Test files that were red at first and green alone. */
  readonly flaky: readonly string[];
};

const BAR_CELLS = 20;

/** `████████░░░░░░░░░░░░`: share of the budget that was used; full at the budget, never longer. */
export function bar(actualSeconds: number, plannedSeconds: number): string {
  const filled = Math.min(BAR_CELLS, Math.round((actualSeconds / plannedSeconds) * BAR_CELLS));
  return '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
}

export function table(rows: readonly Row[]): string {
  const total: Row = {
    suite: 'all',
    plannedSeconds: sum(rows, (row) => row.plannedSeconds),
    actualSeconds: sum(rows, (row) => row.actualSeconds),
    passed: sum(rows, (row) => row.passed),
    failed: sum(rows, (row) => row.failed),
    flaky: rows.flatMap((row) => row.flaky),
  };
  const width = Math.max(...[...rows, total].map((row) => row.suite.length), 'suite'.length);
  const line = (row: Row) =>
    [
      row.suite.padEnd(width),
      `${row.plannedSeconds} s`.padStart(8),
      `${row.actualSeconds.toFixed(1)} s`.padStart(9),
      bar(row.actualSeconds, row.plannedSeconds),
      String(row.passed).padStart(7),
      String(row.failed).padStart(7),
    ].join('  ');
  const head = `${'suite'.padEnd(width)}  ${'planned'.padStart(8)}  ${'actual'.padStart(9)}  ${'of the budget'.padEnd(BAR_CELLS)}   passed   failed`;
  const rule = '─'.repeat(head.length);
  return [head, rule, ...rows.map(line), rule, line(total)].join('\n');
}

function sum(rows: readonly Row[], seconds: (row: Row) => number): number {
  return rows.reduce((total, row) => total + seconds(row), 0);
}

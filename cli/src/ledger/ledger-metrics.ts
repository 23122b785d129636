// Result of a check as a Prometheus text file, for the textfile collector of node_exporter.
import { rename, writeFile } from 'node:fs/promises';
import type { CheckedLine } from '@svc-pay/core';

export function ledgerMetrics(lines: readonly CheckedLine[], endedMs: number): string {
  const each = (name: string, of: (line: CheckedLine) => number) =>
    lines.map((line) => `${name}{check="${line.check}",network="${line.network ?? ''}"} ${of(line)}`);
  return [
    '# HELP ledger_check_ended_seconds Unix time at which the books were last compared, whatever was found',
    '# TYPE ledger_check_ended_seconds gauge',
    `ledger_check_ended_seconds ${Math.floor(endedMs / 1_000)}`,
    '# HELP ledger_check_looked What the check looked at',
    '# TYPE ledger_check_looked gauge',
    ...each('ledger_check_looked', ({ looked }) => looked),
    '# HELP ledger_check_differences What differs; anything above 0 is to be explained',
    '# TYPE ledger_check_differences gauge',
    ...each('ledger_check_differences', ({ differing }) => differing),
    '',
  ].join('\n');
}

/** Writes atomically: a collector reads either the old file or the new one. */
export async function writeMetricsFile(file: string, text: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  await writeFile(unfinished, text, { mode: 0o644 });
  await rename(unfinished, file);
}

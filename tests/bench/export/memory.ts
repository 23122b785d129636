// The most memory that a process has had, from /proc.
import { readFileSync, writeFileSync } from 'node:fs';

export function peakMemoryMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return Number.parseInt(kilobytes, 10) / 1_024;
}

/** From here on the peak counts anew. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

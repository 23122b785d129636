// CPU seconds of processes and all they started, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

export function cpuSeconds(rootPids: readonly number[]): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(name));
  const wanted = new Set(rootPids);
  // Parents have lower numbers than their children, apart from a wrap-around that a bench does not live to see.
  for (const { pid, parent } of processes.toSorted((one, other) => one.pid - other.pid)) {
    if (wanted.has(parent)) wanted.add(pid);
  }
  return (
    processes.filter(({ pid }) => wanted.has(pid)).reduce((total, { ticks }) => total + ticks, 0) / TICKS_PER_SECOND
  );
}

function statOf(name: string): { pid: number; parent: number; ticks: number }[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${name}/stat`, 'utf8');
  } catch {
    // It ended between the listing and the look.
    return [];
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const at = (index: number) => Number.parseInt(fields[index] ?? '0', 10);
  // User and system time of the process, and of children it has already reaped.
  return [{ pid: Number.parseInt(name, 10), parent: at(1), ticks: at(11) + at(12) + at(13) + at(14) }];
}

/** CPU of two processes, shared over the answers they gave together. */
export class CpuShare {
  answers = 0;
  private node = 0;
  private postgres = 0;

  add(nodeSeconds: number, postgresSeconds: number, answers: number): void {
    this.node += nodeSeconds;
    this.postgres += postgresSeconds;
    this.answers += answers;
  }

  nodeMs(): number {
    return (this.node * 1_000) / this.answers;
  }

  postgresMs(): number {
    return (this.postgres * 1_000) / this.answers;
  }

  text(): string {
    return `CPU ${this.nodeMs().toFixed(3)} ms Node + ${this.postgresMs().toFixed(3)} ms Postgres`;
  }
}

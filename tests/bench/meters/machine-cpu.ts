// What all cores did, from /proc/stat: also what belongs to no process of the bench.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds since the machine started, over all cores. */
export type MachineCpu = {
  /** Everything but idle, waiting for a disk, and stolen. */
  readonly busy: number;
  /** Of it inside the kernel, interrupts included. */
  readonly kernel: number;
  /** Taken by the host for others. */
  readonly stolen: number;
  readonly total: number;
};

export function parseMachineCpu(text: string): MachineCpu {
  const line = text.split('\n').find((candidate) => candidate.startsWith('cpu '));
  if (line === undefined) throw new Error('the kernel does not count the time of its cores');
  const ticks = line.trim().split(/\s+/).slice(1, 9);
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = ticks.map(
    (value) => Number.parseInt(value, 10) / TICKS_PER_SECOND,
  );
  const kernel = system + irq + softirq;
  const busy = user + nice + kernel;
  return { busy, kernel, stolen: steal, total: busy + idle + iowait + steal };
}

export function machineCpu(): MachineCpu {
  return parseMachineCpu(readFileSync('/proc/stat', 'utf8'));
}

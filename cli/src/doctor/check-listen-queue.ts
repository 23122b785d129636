// How many connections the kernel lets wait until the API accepts them. One that does not fit is dropped without a word, and its
// client tries again after seconds.
import { readFileSync } from 'node:fs';
import { type Finding, findingsOf } from './finding.ts';

const FILE = '/proc/sys/net/core/somaxconn';
/** The default since Linux 5.4. Kernels before it have 128, which a burst of some hundred payers overflows. */
const ENOUGH = 4_096;

/** Of the machine that the command runs on. Nothing where there is no such file: on another system than Linux. */
export function checkListenQueue(file = FILE): readonly Finding[] {
  const most = readNumber(file);
  if (most === undefined) return [];
  const { ok, warning } = findingsOf('configuration', 'net.core.somaxconn');
  if (most >= ENOUGH) return [ok(`Up to ${most} connections wait to be accepted.`)];
  return [
    warning(
      `Only ${most} connections wait to be accepted: the kernel drops the ones beyond when many payers come at once.`,
      'If the API runs on this machine: `sysctl -w net.core.somaxconn=8192`, in a container with `--sysctl`, and start the API again.',
    ),
  ];
}

function readNumber(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw problem;
  }
}

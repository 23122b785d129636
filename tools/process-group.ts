// Ends the process group of a command, and tells whether somebody in it was still at work.
import { readdirSync, readFileSync } from 'node:fs';

/** True when the group still had a living member. One that has ended and waits to be reaped does not count. */
export function endGroup(leaderPid: number | undefined): boolean {
  if (leaderPid === undefined) return false;
  const alive = hasLivingMember(leaderPid);
  try {
    process.kill(-leaderPid, 'SIGKILL');
    return alive ?? true;
  } catch {
    // ESRCH: nobody is left, which is what we want.
    return false;
  }
}

/** Undefined where there is no /proc to ask. */
function hasLivingMember(leaderPid: number): boolean | undefined {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  return pids.some((pid) => {
    const { state, group } = statOf(pid);
    return group === String(leaderPid) && state !== 'Z' && state !== 'X';
  });
}

/** Both fields are undefined for a process that is gone. */
export function statOf(pid: string): { state: string | undefined; group: string | undefined } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks and parentheses of its own; what follows the last one is regular.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, group };
  } catch {
    return { state: undefined, group: undefined };
  }
}

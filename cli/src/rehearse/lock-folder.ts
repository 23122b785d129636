// One rehearsal at a time in a folder: two would share a journal, and neither would count what the other signs for.
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { harmless } from '../output/table.ts';

type FolderLock =
  | { readonly ok: true; readonly unlock: () => void }
  | { readonly ok: false; readonly problem: string; readonly advice: string };

/** Takes over the lock of a process that is gone. Throws if the folder can't be written. */
export function lockFolder(folder: string): FolderLock {
  const file = path.join(folder, 'lock');
  const unlock = () => rmSync(file, { force: true });
  if (claimed(file)) return { ok: true, unlock };
  const holder = holderOf(file);
  if (!isRunning(holder) && takenOver(file, holder)) return { ok: true, unlock };
  return {
    ok: false,
    problem: `Process ${harmless(holderOf(file)) || '(unknown)'} runs a rehearsal in this folder.`,
    advice: `Wait for it, or name another --out. If no rehearsal runs here, remove ${harmless(file)}.`,
  };
}

/**
 * Whoever takes over the lock of a dead process holds a second one meanwhile, named after the dead one: two that see the
 * same dead process do not both remove its lock.
 */
function takenOver(file: string, holder: string): boolean {
  const claim = `${file}.${/^\d{1,10}$/.test(holder) ? holder : 'unknown'}`;
  if (!claimed(claim)) return false;
  try {
    if (holderOf(file) !== holder) return false;
    rmSync(file);
    return claimed(file);
  } finally {
    rmSync(claim);
  }
}

/** False if the file exists. */
function claimed(file: string): boolean {
  let output: number;
  try {
    output = openSync(file, 'wx', 0o600);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw problem;
  }
  writeSync(output, String(process.pid));
  closeSync(output);
  return true;
}

/** Empty if the lock is gone, or not written yet. */
function holderOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw problem;
  }
}

/** A container's processes have the same ids after each start: our own id is that of a process that is gone. */
function isRunning(holder: string): boolean {
  if (!/^\d{1,10}$/.test(holder)) return holder === '';
  const pid = Number(holder);
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 10_000;

/**
 * Waits until the server that last used `directory` is gone: after a crash of its parent it needs a moment to stop.
 * Throws if it does not end: it is still in use and is not stopped.
 */
export async function waitForPreviousServer(directory: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 100) {
    const pid = await runningPid(directory);
    if (pid === undefined) return;
    if (waitedMs >= PATIENCE_MS) throw new Error(`process ${pid} is serving ${directory} already`);
    await sleep(100);
  }
}

async function runningPid(directory: string): Promise<number | undefined> {
  const pidFile = await readFile(path.join(directory, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(pidFile, 10);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined;
  }
}

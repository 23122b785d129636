// Loopback ports for local servers of tests, the bench and the sandbox, which are chosen now, bound later and kept over
// restarts.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/** Below the ephemeral range of the system (from 32768 on Linux, 49152 on macOS), so that no client connection takes one. */
const LOWEST_PORT = 20_000;
const PORTS = 12_000;

const reserved = new Set<string>();

/**
 * A free port that no other process of this user reserves until this one ends. Test workers that chose by process id alone
 * met on one port now and then; the file of a port, created exclusively, names its owner.
 */
export async function reservePort(): Promise<number> {
  const directory = path.join(tmpdir(), `svc-ports-${userInfo().uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const first = Math.floor(Math.random() * PORTS);
  for (let tries = 0; tries < PORTS; tries += 1) {
    const port = LOWEST_PORT + ((first + tries) % PORTS);
    const file = path.join(directory, String(port));
    if (!claim(file)) continue;
    if (reserved.size === 0) process.once('exit', release);
    reserved.add(file);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${LOWEST_PORT} to ${LOWEST_PORT + PORTS - 1}`);
}

function claim(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'EEXIST') throw problem;
    // The claim of an ended process is removed for the next caller; the caller that removes it takes another port.
    if (!isOwned(file)) rmSync(file, { force: true });
    return false;
  }
}

function isOwned(file: string): boolean {
  try {
    const owner = Number(readFileSync(file, 'utf8'));
    // Empty: its owner has created it and not written yet.
    if (owner === 0) return true;
    process.kill(owner, 0);
    return true;
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function release(): void {
  for (const file of reserved) rmSync(file, { force: true });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  } catch {
    // Taken by a process that reserves nothing.
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalChain, startChain } from '@svc-pay/evm/local';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import type { DevSecrets } from './secrets.ts';

const BLOCK_TIME_SECONDS = 1;
const PATIENCE_MS = 10_000;
const POLL_MS = 100;

export const chainFile = (folder: string): string => path.join(folder, 'chain.json');
const pidFile = (folder: string): string => path.join(folder, 'chain.pid');

/** Starts Anvil with the state of an earlier run in `folder`, or from the first block. */
export async function startDevChain(
  folder: string,
  { chainSeed }: DevSecrets,
  { port, relayers }: { readonly port: number; readonly relayers: number },
): Promise<LocalChain> {
  const stateFile = chainFile(folder);
  const kept = existsSync(stateFile);
  const guard = (pid: number) => {
    writeFileSync(pidFile(folder), String(pid));
    return killOnParentExit(pid);
  };
  try {
    const seed = chainSeed as `0x${string}`;
    return await startChain({ seed, stateFile, blockTimeSeconds: BLOCK_TIME_SECONDS, port, relayers, guard });
  } catch (problem) {
    if (!kept) throw problem;
    const reason = problem instanceof Error ? problem.message : 'no reason given';
    throw new Error(`the chain of the last run can’t go on (${reason}); start with --fresh`, { cause: problem });
  }
}

/** Waits until the chain that last used `folder` has ended: it writes its state file last. */
export async function waitForPreviousChain(folder: string): Promise<void> {
  for (let waitedMs = 0; isRunning(folder); waitedMs += POLL_MS) {
    if (waitedMs >= PATIENCE_MS) throw new Error(`a chain is running for ${folder} already`);
    await sleep(POLL_MS);
  }
  rmSync(pidFile(folder), { force: true });
}

/** Checks the command line: the process id alone may belong to another process by now. */
function isRunning(folder: string): boolean {
  try {
    const pid = readFileSync(pidFile(folder), 'utf8');
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(chainFile(folder));
  } catch {
    return false;
  }
}

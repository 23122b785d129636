// Runs a local Solana chain: the real virtual machine, offline, on ports that it chooses itself.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type SurfpoolReady = { readonly rpcUrl: string; readonly wsUrl: string };
export type SurfpoolCall = {
  readonly id: number;
  readonly name: 'fundSol' | 'fundToken' | 'setAccount' | 'deploy' | 'timeTravelToTimestamp';
  readonly given: readonly unknown[];
};
export type SurfpoolAnswer = { readonly id: number; readonly problem?: string };

export type Surfpool = SurfpoolReady & {
  readonly pid: number;
  /** Settles when Surfpool has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly call: (name: SurfpoolCall['name'], ...given: readonly unknown[]) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** A slot of the real chain takes 400 ms. A blockhash is valid for 150 slots, and finality takes 31. */
export async function runSurfpool({ slotTimeMs = 400 }: { readonly slotTimeMs?: number } = {}): Promise<Surfpool> {
  const file = fileURLToPath(new URL('./surfpool-process.ts', import.meta.url));
  const child = fork(file, [String(slotTimeMs)], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = await new Promise<SurfpoolReady>((resolve, reject) => {
    child.once('message', (message) => resolve(message as SurfpoolReady));
    child.once('error', reject);
    void ended.then(() => reject(new Error('surfpool ended at start')));
  });

  const waiting = new Map<number, (answer: SurfpoolAnswer) => void>();
  let calls = 0;
  child.on('message', (message) => {
    const answer = message as SurfpoolAnswer;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return {
    ...ready,
    pid: child.pid ?? 0,
    ended,
    call: async (name, ...given) => {
      calls += 1;
      const id = calls;
      const answered = new Promise<SurfpoolAnswer>((resolve) => waiting.set(id, resolve));
      child.send({ id, name, given } satisfies SurfpoolCall);
      const { problem } = await answered;
      if (problem !== undefined) throw new Error(`${name}: ${problem}`);
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

// Anvil itself, not npm's wrapper around it: the wrapper would be another process, with another pid, to stop.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

export type AnvilOptions = {
  /** Left out: any free one. */
  readonly port?: number;
  /** Left out: every transaction is mined at once, in a block of its own. */
  readonly blockTimeSeconds?: number;
  /** `finalized` is two epochs behind the head: with 1 it follows closely. Default 32, as on Ethereum. */
  readonly slotsInAnEpoch?: number;
  readonly gasLimit?: number;
  /** Where the chain is kept between runs; written when it stops and once a minute. */
  readonly stateFile?: string;
  /**
   * Sees to it that the process does not outlive ours, and returns how to dismiss it. With a guard it runs in a session
   * of its own, so that Ctrl-C does not reach it before whoever uses it.
   */
  readonly guard?: (pid: number) => () => void;
};

export type AnvilProcess = {
  readonly rpcUrl: string;
  readonly pid: number;
  /** Settles when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Waits until it is gone. `SIGKILL` is a crash: what came after the last write of the state file is lost. */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
};

/** The file holds every block, some 1.6 KB each: writing it often would cost more than the chain itself. */
const STATE_INTERVAL_SECONDS = 60;
const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

export async function runAnvil(options: AnvilOptions = {}): Promise<AnvilProcess> {
  const platform = `${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const binary = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${platform}/bin/anvil`);
  const child = spawn(binary, flags(options), {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.guard !== undefined,
  });
  const dismiss = child.pid === undefined ? undefined : options.guard?.(child.pid);
  if (dismiss !== undefined) child.once('exit', dismiss);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const rpcUrl = await new Promise<string>((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const listening = /Listening on (127\.0\.0\.1:\d+)/.exec(printed)?.[1];
      if (listening === undefined) return;
      resolve(`http://${listening}`);
      // It goes on printing every request: read it, or it blocks, but keep nothing.
      for (const stream of [child.stdout, child.stderr]) stream.off('data', read).resume();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`anvil ended: ${printed.trim().slice(-500)}`)));
    child.once('error', reject);
  });
  return {
    rpcUrl,
    pid: child.pid ?? 0,
    ended,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}

function flags({ port = 0, blockTimeSeconds, slotsInAnEpoch, gasLimit, stateFile }: AnvilOptions): string[] {
  const some = (name: string, value: number | string | undefined) => (value === undefined ? [] : [name, String(value)]);
  return [
    ...some('--port', port),
    ...some('--host', '127.0.0.1'),
    ...some('--accounts', 1),
    ...some('--block-time', blockTimeSeconds),
    ...some('--slots-in-an-epoch', slotsInAnEpoch),
    ...some('--gas-limit', gasLimit),
    ...(stateFile === undefined ? [] : ['--state', stateFile, ...some('--state-interval', STATE_INTERVAL_SECONDS)]),
  ];
}

// Runs the Anvil binary, not npm's wrapper around it: the wrapper would be one more process to stop.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

export type AnvilOptions = {
  /** Any free port if absent. */
  readonly port?: number;
  /** If absent, every transaction is mined immediately, in its own block. */
  readonly blockTimeSeconds?: number;
  /** `finalized` is two epochs behind the head: with 1 it follows closely. Default 32, as on Ethereum. */
  readonly slotsInAnEpoch?: number;
  readonly gasLimit?: number;
  /** Default 31337. */
  readonly chainId?: number;
  /** File that keeps the chain between runs; written when Anvil stops and once a minute. */
  readonly stateFile?: string;
  /**
   * Makes sure that Anvil does not outlive this process, and returns how to dismiss the guard. With a guard Anvil runs
   * in its own session, so that Ctrl-C does not stop it before the processes that use it.
   */
  readonly guard?: (pid: number) => () => void;
};

export type AnvilProcess = {
  readonly rpcUrl: string;
  readonly pid: number;
  /** Settles when Anvil has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Resolves when Anvil is gone. `SIGKILL` simulates a crash: it loses what the state file lacks. */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
};

/** The state file holds every block, some 1.6 KB each: frequent writes would cost more than the chain itself. */
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
      // Anvil prints every request: an unread pipe would block it, so the output is read and discarded.
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

function flags(options: AnvilOptions): string[] {
  const { port = 0, blockTimeSeconds, slotsInAnEpoch, gasLimit, chainId, stateFile } = options;
  const some = (name: string, value: number | string | undefined) => (value === undefined ? [] : [name, String(value)]);
  return [
    ...some('--port', port),
    ...some('--host', '127.0.0.1'),
    ...some('--accounts', 1),
    ...some('--block-time', blockTimeSeconds),
    ...some('--slots-in-an-epoch', slotsInAnEpoch),
    ...some('--gas-limit', gasLimit),
    ...some('--chain-id', chainId),
    ...(stateFile === undefined ? [] : ['--state', stateFile, ...some('--state-interval', STATE_INTERVAL_SECONDS)]),
  ];
}

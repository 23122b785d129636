// The operator's command as a process, with its answer as data.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { COMPILE_CACHE } from '../../e2e/service-process.ts';
import type { SettlementWorld } from '../settlement/world.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../cli/src/main.ts');

export type Answer = {
  readonly exitCode: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly progress: string;
};

/** `killAt`: it is killed as soon as its progress says so. */
export function svc({ postgres, chain }: SettlementWorld, argv: readonly string[], killAt?: string): Promise<Answer> {
  const networks = {
    [chain.network]: {
      processor: chain.record.processor,
      processorVersion: '1.3.0',
      ready: true,
      rpcUrls: [chain.rpcUrl],
    },
  };
  return svcOn({ databaseUrl: postgres.url, networks }, argv, killAt);
}

export type Installation = { readonly databaseUrl: string; readonly networks: object };

export async function svcOn(
  { databaseUrl, networks }: Installation,
  argv: readonly string[],
  killAt?: string,
): Promise<Answer> {
  const child = spawn(process.execPath, [MAIN, ...argv, '--json'], {
    env: {
      ...COMPILE_CACHE,
      SVC_DATABASE_URL: databaseUrl,
      SVC_NETWORKS: JSON.stringify(networks),
      SVC_OPERATOR: 'drill',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [answer, progress] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    answer += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    progress += chunk.toString();
    if (killAt !== undefined && progress.includes(killAt)) child.kill('SIGKILL');
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, data: answer === '' ? {} : (JSON.parse(answer) as Record<string, unknown>), progress };
}

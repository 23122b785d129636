// Runs the operator's command as its own process, with an environment and nothing else.
import { execFile } from 'node:child_process';
import { COMPILE_CACHE, mainOf } from './service-process.ts';

export type CommandRun = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export function svc(environment: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<CommandRun> {
  return new Promise((resolve) => {
    const env = { ...COMPILE_CACHE, PATH: '/usr/bin:/bin', ...environment };
    execFile(process.execPath, [...mainOf('cli'), ...argv], { env }, (problem, stdout, stderr) =>
      resolve({ exitCode: problem === null ? 0 : Number(problem.code ?? 1), stdout, stderr }),
    );
  });
}

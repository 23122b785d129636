// The real command as a process of its own, the way an operator or a script calls it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

export type SvcRun = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Complete secrets for a database, and nothing else of our own environment. */
export function svcEnvironment(databaseUrl: string): Record<string, string> {
  return {
    SVC_DATABASE_URL: databaseUrl,
    SVC_KEY_PEPPER: randomBytes(32).toString('base64'),
    SVC_MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    SVC_OPERATOR: 'ada',
  };
}

export function runSvc(environment: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<SvcRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...argv], {
      env: { PATH: '/usr/bin:/bin', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ exitCode: code ?? -1, stdout, stderr }));
  });
}

// Runs the real command as a separate process, as an operator or a script does.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export type SvcRun = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
/** Node's compile cache: halves the start time of the command, which the tests run some hundred times. */
const COMPILE_CACHE = path.resolve('.cache/compile');

/** Environment with complete secrets for a database, and nothing from the test's own environment. */
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
      env: { PATH: '/usr/bin:/bin', NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
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

// Runs `npm run svc -- ledger check` as an operator does, over everything that a suite has done.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { World } from './start-world.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

export type LedgerCheck = { readonly exitCode: number; readonly output: string };

export async function ledgerCheck({ operatorEnvironment }: World): Promise<LedgerCheck> {
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path.join(ROOT, 'cli/src/main.ts'), 'ledger', 'check'],
      { env: operatorEnvironment },
    );
    return { exitCode: 0, output: stdout };
  } catch (problem) {
    const { code, stdout, stderr } = problem as { code?: number; stdout?: string; stderr?: string };
    return { exitCode: code ?? 1, output: `${stdout ?? ''}${stderr ?? ''}` };
  }
}

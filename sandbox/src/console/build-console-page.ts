// Builds the console's page, unless it is built and its sources are the same. In a process of its own: a sandbox whose page is
// built never loads the bundler.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILDER = fileURLToPath(new URL('../../../services/console/build/main.ts', import.meta.url));

export async function buildConsolePage(): Promise<void> {
  await promisify(execFile)(process.execPath, [BUILDER]);
}

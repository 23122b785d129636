// Runs the program and the commands of the quick start, as a reader would copy them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { freePort } from '@svc-pay/postgres/server';
import { onTestFinished, vi } from 'vitest';
import { readerEnvironment } from './config.ts';

const PROGRAM = 'my-shop.mjs';

/** Returns the output of the buying agent. */
export async function followQuickStart(folder: string): Promise<string> {
  const page = readFileSync('docs/quick-start.md', 'utf8');
  const [program = ''] = blocksOf(page, 'js');
  const port = String(await freePort());
  const own = `.cache/my-shop-${process.pid}.mjs`;
  writeFileSync(own, program);
  onTestFinished(() => rmSync(own));
  // Differences from the page: this sandbox's folder, a free port, and a file name that no reader uses.
  const asHere = (command: string) =>
    command.replaceAll('.cache/sandbox', folder).replaceAll(PROGRAM, own).replaceAll(':3000/', `:${port}/`);
  const commands = blocksOf(page, 'sh').map(asHere);
  const find = (part: string) => commands.find((command) => command.includes(part)) ?? `echo no ${part}`;
  const shop: ChildProcess = spawn('bash', ['-c', `exec ${find(own)}`], { env: readerEnvironment({ PORT: port }) });
  onTestFinished(() => void shop.kill('SIGKILL'));
  let shopSaid = '';
  for (const stream of [shop.stdout, shop.stderr]) stream?.on('data', (text: Buffer) => (shopSaid += text.toString()));
  const says = (text: string) =>
    vi.waitFor(() => {
      if (!shopSaid.includes(text)) throw new Error(`the shop says ${shopSaid}, not ${text}`);
    }, 20_000);
  await says('listening');
  const { stdout: bought } = await promisify(execFile)('bash', ['-c', find('agent.js')], {
    env: readerEnvironment(),
    timeout: 30_000,
  });
  await says(blocksOf(page, 'text')[0]?.trim() ?? 'nothing is promised');
  shop.kill('SIGTERM');
  await once(shop, 'exit');
  return bought;
}

function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) =>
    block.trim(),
  );
}

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@svc-pay/core';
import { newKey } from '@svc-pay/evm/local';
import { expect, onTestFinished, test } from 'vitest';
import { findService } from '../service/services.ts';
import { startWorld } from './start-world.ts';

const [api, settlement] = [findService('api')!, findService('settlement')];

/** Where `viem` is found, as in the reader's own project. */
function programOf(page: string): string {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
  expect(blocks).toHaveLength(5);
  const file = path.resolve(`.cache/pay-from-code-${process.pid}.mjs`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, blocks.join('\n'));
  onTestFinished(() => rmSync(file));
  return file;
}

test.runIf(settlement)('the page’s program pays', async () => {
  const program = programOf('docs/integrate/pay-from-code.md');
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-page-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const step = <Result>(_name: string, work: () => Promise<Result>) => work();
  const options = { folder, api, settlement, fresh: true, port: undefined, freePorts: true };
  const { chain, baseUrl, account, stop } = await startWorld({ ...options, clock: systemClock, step });
  try {
    const { privateKey, account: payer } = newKey();
    await chain.mint(chain.tokens.usdc, payer.address, 12_500_000n);
    const env = {
      PATH: '/usr/bin:/bin',
      BASE_URL: baseUrl,
      PUBLISHABLE_KEY: account.publishableKey,
      PAYER_KEY: privateKey,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env, timeout: 60_000 });
    expect(stdout).toMatch(/^completed 0x[0-9a-f]{64}\n$/);
    expect(await chain.balanceOf(chain.tokens.usdc, payer.address)).toBe(0n);
  } finally {
    await stop();
  }
});

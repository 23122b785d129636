// Vitest's global setup: Debian's Chromium, installed where it is missing. A machine that is not Debian brings its own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromiumPath } from './config.ts';

export function setup(): void {
  if (existsSync(chromiumPath())) return;
  for (const argv of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { status } = spawnSync('apt-get', argv, {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 300_000,
    });
    if (status !== 0) break;
  }
  if (!existsSync(chromiumPath())) throw new Error('no Chromium: install it, or name one in CHROMIUM_PATH');
}

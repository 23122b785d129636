import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cleanCheckout } from './clean-checkout.ts';

test('a package without a sha512 in the lock is refused before anything is installed', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'checkout-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root, encoding: 'utf8' }).trim();
  const packages = {
    '': { name: 'shop' },
    'packages/till': {},
    'node_modules/@shop/till': { link: true },
    'node_modules/left': { version: '3.0.0' },
    'node_modules/old': { integrity: 'sha1-aaaa' },
    'node_modules/old/node_modules/inner': { inBundle: true },
    'node_modules/zod': { integrity: 'sha512-aaaa' },
  };
  writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message=first');
  expect(cleanCheckout(root, git('rev-parse', 'HEAD'))).toEqual({
    ok: false,
    problems: [
      'package-lock.json has no sha512 for node_modules/left',
      'package-lock.json has no sha512 for node_modules/old',
    ],
  });
});

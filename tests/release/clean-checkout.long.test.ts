// The checkout that a release is built in: npm installs into it, which takes seconds.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cleanCheckout } from '../../tools/release/clean-checkout.ts';
import { releaseEnvironment } from '../../tools/release/config.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'checkout-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function write(file: string, content: string | object): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root, encoding: 'utf8' }).trim();

type Lock = { version: string; packages: Record<string, object> };

/** A repository with one workspace and the lock that npm writes for it, changed by the test. */
function commit(change: (lock: Lock) => void = () => {}, manifest: object = {}): string {
  write('package.json', { name: 'shop', version: '1.0.0', workspaces: ['packages/*'], ...manifest });
  write('packages/till/package.json', { name: '@shop/till', version: '2.1.0' });
  write('.gitignore', 'node_modules/\n');
  execFileSync('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--silent'], { cwd: root });
  const lock: Lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  change(lock);
  write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message=first');
  return git('rev-parse', 'HEAD');
}

test('nothing of the working tree gets in: no changed package, no ignored file, no program of its own', () => {
  const head = commit();
  write('node_modules/left/index.js', 'throw new Error("changed by a stranger");\n');
  write('packages/till/package.json', { name: '@shop/till', version: '6.6.6' });
  vi.stubEnv('PATH', `${path.join(root, 'node_modules/.bin')}:${releaseEnvironment()['PATH']}`);
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/own-authority.pem');
  const made = cleanCheckout(root, head);
  if (!made.ok) throw new Error(made.problems.join('\n'));
  expect(existsSync(path.join(made.folder, 'node_modules/left'))).toBe(false);
  expect(existsSync(path.join(made.folder, 'node_modules/@shop/till'))).toBe(true);
  const till = JSON.parse(readFileSync(path.join(made.folder, 'packages/till/package.json'), 'utf8'));
  expect(till.version).toBe('2.1.0');
  const [first, ...programs] = made.env['PATH']?.split(':') ?? [];
  expect(first).toBe(path.join(made.folder, 'node_modules/.bin'));
  expect(programs.filter((place) => place.includes('node_modules'))).toEqual([]);
  expect(made.env).not.toHaveProperty('NODE_OPTIONS');
  expect(made.env).toHaveProperty('NODE_EXTRA_CA_CERTS', '/etc/ssl/own-authority.pem');
  made.remove();
  expect(existsSync(made.folder)).toBe(false);
});

test('a lock that npm changes is refused', () => {
  const head = commit((lock) => {
    lock.version = '0.9.0';
  });
  expect(cleanCheckout(root, head)).toEqual({ ok: false, problems: [expect.stringContaining('M package-lock.json')] });
});

test('a tarball whose bytes have another hash than the lock is refused', () => {
  write('left/package.json', { name: 'left', version: '3.0.0' });
  execFileSync('npm', ['pack', '--silent', '--offline', './left'], { cwd: root });
  rmSync(path.join(root, 'left'), { recursive: true });
  const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
  const head = commit(
    ({ packages }) => {
      packages['node_modules/left'] = { ...packages['node_modules/left'], integrity };
    },
    { dependencies: { left: 'file:left-3.0.0.tgz' } },
  );
  expect(cleanCheckout(root, head)).toEqual({ ok: false, problems: [expect.stringContaining('EINTEGRITY')] });
});

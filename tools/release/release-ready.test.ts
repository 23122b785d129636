import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { releaseProblems } from './release-ready.ts';

let root: string;
const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root, encoding: 'utf8' }).trim();
const commit = () => {
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '--message=one');
  return git('rev-parse', 'HEAD');
};

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'ready-'));
  mkdirSync(path.join(root, 'packages/till'), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);
  write('package.json', JSON.stringify({ name: 'shop', version: '0.1.0', workspaces: ['packages/*'] }));
  write('packages/till/package.json', JSON.stringify({ name: '@shop/till', version: '0.1.0' }));
  write('CHANGELOG.md', '# Changelog\n\n## 0.1.0 (2026-11-17)\n');
  git('init', '--quiet');
});
afterEach(() => rmSync(root, { recursive: true }));

test('a commit with the tag of its version is ready', () => {
  const head = commit();
  git('tag', 'v0.1.0');
  expect(releaseProblems(root, head)).toEqual([]);
});

test('a commit without the tag, and one whose tag is at another commit, are refused', () => {
  const problem = (head: string) => [expect.stringContaining(`${head.slice(0, 7)} has no tag v0.1.0`)];
  const first = commit();
  git('tag', 'v0.1.00');
  expect(releaseProblems(root, first)).toEqual(problem(first));
  git('tag', 'v0.1.0');
  const second = commit();
  expect(releaseProblems(root, second)).toEqual(problem(second));
});

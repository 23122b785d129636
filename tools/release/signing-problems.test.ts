import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { provenanceStatement } from './provenance.ts';
import { signingProblems } from './signing-problems.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'signing-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root, encoding: 'utf8' }).trim();
const commit = () => git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message=x');
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};

test('only files of HEAD, which has the tag, are signed, and only by the pinned Node', () => {
  const program = path.join(root, '.cache/node');
  write('.cache/node', 'a program');
  const sha256 = createHash('sha256').update(readFileSync(program)).digest('hex');
  const pins = [
    'node_version=24.0.0',
    `sha512_node_linux_x64=${'a'.repeat(128)}`,
    `sha256_program_linux_x64=${sha256}`,
  ];
  write('.ci/with-node', `${pins.join('\n')}\n`);
  write('.gitignore', '.cache/\n');
  write('package.json', '{"name":"shop","version":"1.0.0","workspaces":[]}');
  write('CHANGELOG.md', '# Changes\n\n## 1.0.0\n\nwords\n');
  git('init', '--quiet');
  git('add', '--all');
  commit();
  git('tag', 'v1.0.0');
  const out = path.join(root, '.cache/release');
  const problems = () => signingProblems(root, out, program);
  expect(problems()).toEqual([expect.stringContaining('no files of version 1.0.0 were made')]);

  const origin = { name: 'shop', version: '1.0.0', commit: git('rev-parse', 'HEAD') };
  write('.cache/release/shop-1.0.0.provenance.json', provenanceStatement([], origin));
  expect(problems()).toEqual([]);
  expect(signingProblems(root, out)).toEqual([expect.stringContaining('is not the Node that .ci/with-node pins')]);

  write('late.txt', 'x');
  expect(problems()).toEqual([expect.stringContaining('uncommitted')]);
  git('add', '--all');
  commit();
  git('tag', '--force', 'v1.0.0');
  expect(problems()).toEqual([
    expect.stringContaining(`the files are of 1.0.0 at ${origin.commit.slice(0, 7)}, and HEAD`),
  ]);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'pages-'));
  spawnSync('git', ['init', '--quiet'], { cwd: root });
});
afterEach(() => rmSync(root, { recursive: true }));

function docsRun(readme: string) {
  writeFileSync(path.join(root, 'README.md'), readme);
  const { status, stdout } = spawnSync(process.execPath, [main], { cwd: root, encoding: 'utf8' });
  return { status, stdout };
}

const runnable = (script: string, prints: string) =>
  `\`\`\`sh runnable\n${script}\n\`\`\`\n\n\`\`\`text prints\n${prints}\n\`\`\`\n`;

test('a page that tells the truth is green', () => {
  expect(docsRun(`# Hello\n\n[up](#hello)\n\n${runnable('ls', 'README.md')}`)).toEqual({
    status: 0,
    stdout: expect.stringContaining('docs: 1 pages, 1 links, 1 commands run, 0 red'),
  });
});

test('a wrong command, a wrong promise and a wrong link are all red in one run', () => {
  const { status, stdout } = docsRun(`${runnable('exit 3', 'x')}\n${runnable('echo a', 'b')}\n[gone](gone.md)\n`);
  expect(status).toBe(1);
  expect(stdout).toContain('README.md:1  exit 3');
  expect(stdout).toContain('exit code 3');
  expect(stdout).toContain('did not print, in its place: b');
  expect(stdout).toContain('README.md:17  link gone.md');
  expect(stdout).toContain('3 red');
});

test('a page that runs the pages is refused instead of running for ever', () => {
  const { status, stdout } = docsRun(runnable(`${process.execPath} ${main}`, 'x'));
  expect(status).toBe(1);
  expect(stdout).toContain('docs:run was started by a command of a page');
});

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { upgradeBlock } from './upgrade-block.ts';

const [OLD, NEW] = ['localhost/svc-pay:0.1.0', 'localhost/svc-pay:0.2.0'];
const COMPOSE = `x-ours: &ours\n  image: ${OLD}\n`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'upgrade-'));
  writeFileSync(path.join(folder, 'compose.yaml'), COMPOSE);
});
afterEach(() => rmSync(folder, { recursive: true }));

const compose = () => readFileSync(path.join(folder, 'compose.yaml'), 'utf8');

/** Pastes the block into a shell that goes on after failures, with a `docker` that fails where `failing` is an argument. */
function paste(from: string, failing = 'never') {
  const docker = path.join(folder, 'docker');
  writeFileSync(docker, `#!/bin/sh\necho "docker $*"\ncase " $* " in *" ${failing} "*) exit 1 ;; esac\n`);
  chmodSync(docker, 0o755);
  const script = upgradeBlock(from, NEW).replace('/etc/svc-pay', folder);
  const env = { PATH: `${folder}:/usr/local/bin:/usr/bin:/bin` };
  const ran = spawnSync('bash', ['--norc'], { input: script, env, encoding: 'utf8' });
  const lines = ran.stdout.trim().split('\n');
  return { status: ran.status, lines, replaced: lines.flatMap((line) => / --wait (.+)$/.exec(line)?.[1] ?? []) };
}

test('the block migrates, replaces every service once, and says so', () => {
  const { status, lines, replaced } = paste(OLD);
  expect(status).toBe(0);
  expect(lines.slice(0, 2)).toEqual([`image: ${NEW}`, 'docker compose run --rm --no-TTY svc migrate']);
  const services = ['admin', 'api', 'api-2', 'settlement', 'settlement-2', 'webhooks'];
  expect(replaced.flatMap((names) => names.split(' ')).toSorted()).toEqual(services);
  // As the drill between two commits: the old settlement goes when no old API is left.
  expect([replaced[0], ...replaced.slice(-2)]).toEqual(['settlement-2', 'api', 'settlement']);
  expect(lines.at(-1)).toBe(`upgraded to ${NEW}`);
});

test('a migration that fails replaces nothing, and the block can be pasted again', () => {
  const failed = paste(OLD, 'migrate');
  expect(failed).toMatchObject({ status: 1, replaced: [] });
  expect(paste(OLD)).toMatchObject({ status: 0, lines: expect.arrayContaining([`upgraded to ${NEW}`]) });
});

test.each(['settlement', 'api'])('a new %s-2 that does not become ready leaves the old one alone', (name) => {
  const { status, replaced } = paste(OLD, `${name}-2`);
  expect(status).toBe(1);
  expect(replaced.at(-1)).toBe(`${name}-2`);
  expect(replaced).not.toContain(name);
});

test('a name that is not in the file changes nothing and starts nothing', () => {
  expect(paste('localhost/svc-pay:0.1')).toEqual({ status: 1, lines: [''], replaced: [] });
  expect(compose()).toBe(COMPOSE);
});

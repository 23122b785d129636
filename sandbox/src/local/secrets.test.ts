import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDevSecrets } from './secrets.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'secrets.json');

test('what is kept stays, what a newer world needs besides is drawn once, and nobody else may read it', () => {
  const first = readDevSecrets(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { chainSeed: _, ...older } = first;
  writeFileSync(file, JSON.stringify(older));
  const second = readDevSecrets(file);
  expect(second).toMatchObject(older);
  expect(second.chainSeed).not.toBe(first.chainSeed);
  expect(readDevSecrets(file)).toEqual(second);
});

test('a file that is not ours is replaced whole', () => {
  writeFileSync(file, '{"pepper": 7, "account": "x"}');
  const drawn = readDevSecrets(file);
  expect(drawn.account).toBeUndefined();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(drawn);
});

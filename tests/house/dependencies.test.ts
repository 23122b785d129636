import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Manifest = Partial<Record<'name', string>> &
  Partial<
    Record<'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies', Record<string, string>>
  >;

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*package.json'], {
  encoding: 'utf8',
});
const manifests = listed
  .trim()
  .split('\n')
  .map((file) => ({ file, manifest: JSON.parse(readFileSync(file, 'utf8')) as Manifest }));
const ours = new Set(manifests.map(({ manifest }) => manifest.name));

const installed = manifests.flatMap(({ file, manifest }) =>
  Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })
    .filter(([name]) => !ours.has(name))
    .map(([name, version]) => ({ file, name, version })),
);
const peers = manifests.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {}));
const names = [...installed.map(({ name }) => name), ...peers.filter((name) => !ours.has(name))];

const page = readFileSync('docs/decisions/0006-dependencies.md', 'utf8');
const [inUse = '', agreed = ''] = page.slice(page.indexOf('### In use')).split('### Agreed');
const reasonsIn = (section: string) =>
  new Map([...section.matchAll(/^\| `([^`]+)`\s*\|\s*(.*?)\s*\|$/gm)].map(([, name = '', why = '']) => [name, why]));

test('every dependency has its reason in decision 0006', () => {
  const reasons = new Map([...reasonsIn(agreed), ...reasonsIn(inUse)]);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => (reasons.get(name) ?? '').length < 20)).toEqual([]);
});

test('decision 0006 names no dependency as in use that is gone', () => {
  expect([...reasonsIn(inUse).keys()].filter((name) => !names.includes(name))).toEqual([]);
});

test('every version is exact', () => {
  expect(installed.filter(({ version }) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

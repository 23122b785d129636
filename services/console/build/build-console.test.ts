import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildConsole, CONSOLE_ASSETS } from './build-console.ts';

const FIRST_LOAD_BYTES = 180_000;
const BUILD_MS = 120_000;
const read = (name: string) => readFileSync(path.join(CONSOLE_ASSETS, name), 'utf8');

beforeAll(async () => {
  await buildConsole();
}, BUILD_MS);

test('a build whose sources are the same is left as it is', async () => {
  const before = statSync(path.join(CONSOLE_ASSETS, 'index.html')).mtimeMs;
  expect(await buildConsole()).toEqual({ folder: CONSOLE_ASSETS, isNew: false });
  expect(statSync(path.join(CONSOLE_ASSETS, 'index.html')).mtimeMs).toBe(before);
});

test(
  'builds of one folder at once leave one whole build, and nothing beside it',
  async () => {
    const parent = mkdtempSync(path.join(tmpdir(), 'svc-console-page-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const folder = path.join(parent, 'generated');
    const built = await Promise.all([buildConsole(folder), buildConsole(folder)]);
    expect(built.some(({ isNew }) => isNew)).toBe(true);
    expect(readdirSync(parent)).toEqual(['generated']);
    const namesIn = (place: string) => readdirSync(place, { recursive: true, encoding: 'utf8' }).toSorted();
    expect(namesIn(folder)).toEqual(namesIn(CONSOLE_ASSETS));
    expect(await buildConsole(folder)).toEqual({ folder, isNew: false });
  },
  BUILD_MS,
);

type Chunk = { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] };
const manifest = () => JSON.parse(read('.vite/manifest.json')) as Readonly<Record<string, Chunk>>;

/** A chunk with everything that the browser loads before it runs. */
function loadedWith(name: string, chunks = manifest(), seen = new Set<string>()): Set<string> {
  const chunk = chunks[name];
  if (chunk === undefined) throw new Error(`no chunk ${name}`);
  for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
  for (const other of chunk.imports ?? []) if (!seen.has(chunks[other]?.file ?? '')) loadedWith(other, chunks, seen);
  return seen;
}

const packedBytes = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(CONSOLE_ASSETS, file))).length, 0);

test.each([
  'sign-in',
  'overview',
  'operator',
  'payments',
  'payment',
  'keys',
  'endpoint',
  'events',
  'people',
  'profile',
])('the first load of the page %s is within 180 kB gzip', (name) => {
  const files = new Set([...loadedWith('index.html'), ...loadedWith(`src/pages/${name}.tsx`), 'index.html']);
  expect(packedBytes(files)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
});

test('each page is a chunk of its own, and the wallets’ code is in no page', () => {
  const pages = Object.keys(manifest()).filter((name) => /^src\/pages\/[\w-]+\.tsx$/.test(name));
  const first = loadedWith('index.html');
  for (const name of pages) expect(first).not.toContain(manifest()[name]?.file);
  const wallet = manifest()['src/wallet/sign-refund.ts']?.file;
  expect(wallet).toBeDefined();
  for (const name of pages) expect(loadedWith(name)).not.toContain(wallet);
});

test('the page has no script and no style of its own, and loads nothing from elsewhere', () => {
  const html = read('index.html');
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/i);
  for (const [, attributes = '', inline = ''] of html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)) {
    expect(attributes).toMatch(/\ssrc="\/assets\//);
    expect(inline.trim()).toBe('');
  }
  for (const [, address = ''] of html.matchAll(/\s(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\/[\w.-]/);
  const sheets = readdirSync(path.join(CONSOLE_ASSETS, 'assets')).filter((name) => name.endsWith('.css'));
  expect(sheets.length).toBeGreaterThan(0);
  for (const name of sheets) expect(read(`assets/${name}`)).not.toMatch(/url\(|@import/);
});

test('both icons are there', () => {
  for (const name of ['live.svg', 'test.svg']) expect(existsSync(path.join(CONSOLE_ASSETS, name))).toBe(true);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noticesOf } from './notices.ts';

let root: string;
let locked: Record<string, object>;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'notices-'));
  locked = { '': { name: 'shop' }, 'packages/own': {}, 'node_modules/own': { link: true } };
});
afterEach(() => rmSync(root, { recursive: true }));

function install(name: string, manifest: object, files: Record<string, string> = {}, entry: object = {}): void {
  const folder = path.join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', ...manifest }));
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  locked[`node_modules/${name}`] = { version: '1.2.3', ...entry };
}

function notices() {
  writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify({ packages: locked }));
  return noticesOf(root, 'shop 1.0.0');
}

test('without a production dependency there is nothing to name, and that is said', () => {
  install('tool', { license: 'GPL-3.0-only' }, {}, { dev: true });
  expect(notices()).toEqual({ ok: true, text: 'Packages of others that shop 1.0.0 uses in production: 0\n', count: 0 });
});

test('every production dependency is named with version, licence and all its words', () => {
  install('b', { license: 'MIT' }, { LICENSE: 'words of b', 'NOTICE.md': 'notice of b', 'license.js': 'code' });
  install('@scope/a', { licenses: [{ type: 'ISC' }] }, { 'licence.txt': 'words of a\r\n' });
  const result = notices();
  const text = result.ok ? result.text : '';
  expect(text).toMatch(
    /@scope\/a 1\.2\.3\nLicence: ISC\n-+\n\nwords of a\n[^]*b 1\.2\.3\nLicence: MIT\n-+\n\nwords of b\n\nnotice of b\n$/,
  );
  expect(text).not.toContain('code');
});

test('a package inside a package of ours counts', () => {
  locked['packages/own/node_modules/deep'] = { version: '2.0.0' };
  expect(notices()).toEqual({ ok: false, problems: ['deep 2.0.0: not installed; run npm install'] });
});

test('no licence, a licence off the list and a licence without words are refused, all at once', () => {
  install('none', {}, { LICENSE: 'words' });
  install('copyleft', { license: 'AGPL-3.0-only' }, { LICENSE: 'words' });
  install('wordless', { license: 'MPL-2.0' });
  expect(notices()).toEqual({
    ok: false,
    problems: [
      'copyleft 1.2.3: licence "AGPL-3.0-only" is not on the list',
      'none 1.2.3: declares no licence',
      'wordless 1.2.3: ships no text of its licence "MPL-2.0"',
    ],
  });
});

test.each(['MIT', 'ISC', 'BSD-3-Clause', 'Apache-2.0', 'GPL-3.0-only OR MIT'])(
  'a package that forgets to ship %s gets its words',
  (license) => {
    install('forgetful', { license, author: 'Ada' });
    const result = notices();
    expect(result.ok && result.text).toMatch(/Copyright \(c\) Ada\n\n[^]{500,}/);
    expect(result.ok && result.text).not.toContain('SVC Pay');
  },
);

test('a package for another platform need not be installed, but its licence still counts', () => {
  locked['node_modules/native-a'] = { version: '1.0.0', optional: true, license: 'MIT' };
  expect(notices()).toMatchObject({ ok: true, count: 1 });
  locked['node_modules/native-b'] = { version: '1.0.0', optional: true, license: 'BUSL-1.1' };
  expect(notices()).toEqual({ ok: false, problems: ['native-b 1.0.0: licence "BUSL-1.1" is not on the list'] });
});

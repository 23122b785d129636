import { expect, test } from 'vitest';
import { imageProblems } from './image-rules.ts';
import type { TarEntry } from './tar.ts';

const lock = { packages: { 'node_modules/vitest': { dev: true }, 'node_modules/zod': { version: '4.0.0' } } };
const file = (path: string, text = ''): TarEntry => ({
  path,
  kind: 'file',
  data: Buffer.from(text),
  executable: false,
});
const ANVIL_KEY = ['ac0974bec39a17e36ba4a6b4d238ff94', '4bacb478cbed5efcae784d7bf4f2ff80'].join('');
const PEM = ['-----BEGIN PRIVATE', ` KEY-----\n${'A'.repeat(40)}\n`].join('');
const PEM_IN_A_STRING = JSON.stringify(PEM.replaceAll('\n', '\r\n'));
const accountKey = (mode: string) => ['sk', mode, 'a1'.repeat(24)].join('_');

test('what programs need is allowed, a quoted test key in a package of others too', () => {
  const entries = [
    file('usr/bin/node'),
    file('app/services/api/src/main.ts', 'A secret key begins with sk_test_ or sk_live_…'),
    file('app/node_modules/zod/a.js', ANVIL_KEY),
  ];
  expect(imageProblems(entries, lock)).toEqual([]);
});

test.each([
  [file('usr/bin/sh'), 'is a shell or a tool'],
  [file('usr/sbin/busybox'), 'is a shell or a tool'],
  [{ path: 'bin/bash', kind: 'link', target: '../usr/bin/x' } as const, 'is a shell or a tool'],
  [file('app/packages/core/src/testing/index.ts'), 'is a test'],
  [file('app/node_modules/zod/a.test.js'), 'is a test'],
  [file('app/node_modules/vitest/index.js'), 'belongs to a development dependency'],
  [file('app/packages/core/src/a.ts', ANVIL_KEY), 'holds a private key'],
  [file('app/node_modules/zod/a.js', PEM), 'holds a private key'],
  [file('app/node_modules/zod/a.json', PEM_IN_A_STRING), 'holds a private key'],
  [file('app/packages/core/src/a.ts', accountKey('live')), 'holds a private key'],
  [file('app/node_modules/zod/a.js', accountKey('test')), 'holds a private key'],
])('%o is refused', (entry, problem) => {
  expect(imageProblems([entry], lock)).toEqual([`${entry.path} ${problem}`]);
});

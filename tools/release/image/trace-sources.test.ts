import { expect, test } from 'vitest';
import { installedPackages } from './installed-packages.ts';
import { traceSources } from './trace-sources.ts';

const sources = (files: Record<string, string | object>) =>
  new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      Buffer.from(typeof text === 'string' ? text : JSON.stringify(text)),
    ]),
  );

const SHOP = {
  'services/shop/package.json': { name: '@shop/shop' },
  'services/shop/src/main.ts': `import { a } from '@shop/core';\nimport type { T } from './types.ts';\nimport('./late.ts');\na();`,
  'services/shop/src/types.ts': 'export type T = 1;',
  'services/shop/src/late.ts': `import 'zod';`,
  'services/shop/src/main.test.ts': `import 'vitest';`,
  'core/package.json': {
    name: '@shop/core',
    exports: { '.': './index.ts', './testing': './testing.ts' },
    imports: { '#x': { node: './x.ts' } },
  },
  'core/index.ts': `import '#x';\nexport * from './more.ts';`,
  'core/more.ts': `import { createRequire } from 'node:module';\nexport const a = createRequire(import.meta.url)('native/x.js');`,
  'core/testing.ts': `import 'vitest';`,
  'core/x.ts': '',
};

test('files and packages that a program loads are found: through packages of ours, later, required; types and tests are not', () => {
  const { files, imported } = traceSources(sources(SHOP), ['services/shop/src/main.ts']);
  expect([...files].sort()).toEqual([
    'core/index.ts',
    'core/more.ts',
    'core/package.json',
    'core/x.ts',
    'services/shop/package.json',
    'services/shop/src/late.ts',
    'services/shop/src/main.ts',
  ]);
  expect(imported).toEqual(
    new Map([
      ['core', new Set(['native'])],
      ['services/shop', new Set(['zod'])],
    ]),
  );
});

test('an import whose target only the running program knows is refused', () => {
  const files = sources({ ...SHOP, 'core/x.ts': 'import(process.argv[1]);' });
  expect(() => traceSources(files, ['services/shop/src/main.ts'])).toThrow(
    "can't tell what import(process.argv[1]) loads",
  );
});

const hash = (letter: string) => `sha512-${Buffer.alloc(64, letter).toString('base64')}`;
const LOCK = {
  packages: {
    'node_modules/zod': {
      version: '4.0.0',
      integrity: hash('z'),
      dependencies: { deep: '1' },
      optionalDependencies: { mac: '1', here: '1' },
    },
    'node_modules/deep': { version: '1.0.0', integrity: hash('d') },
    'node_modules/zod/node_modules/deep': {
      version: '2.0.0',
      integrity: hash('e'),
      peerDependencies: { typescript: '7' },
    },
    'node_modules/mac': { version: '1.0.0', integrity: hash('m'), os: ['darwin'] },
    'node_modules/here': { version: '1.0.0', integrity: hash('h'), os: ['linux'] },
    'node_modules/vitest': { version: '5.0.0', integrity: hash('v'), dev: true },
  },
};
const importing = (name: string) => new Map([['services/shop', new Set([name])]]);

test('a package brings what it needs, from the nearest folder and for Linux alone', () => {
  expect(installedPackages(LOCK, importing('zod')).map(({ location, version }) => `${location} ${version}`)).toEqual([
    'node_modules/here 1.0.0',
    'node_modules/zod 4.0.0',
    'node_modules/zod/node_modules/deep 2.0.0',
  ]);
});

test('a program that loads a development dependency, or one that is in no lock, is refused', () => {
  expect(() => installedPackages(LOCK, importing('vitest'))).toThrow('development dependency');
  expect(() => installedPackages(LOCK, importing('left'))).toThrow('the lock does not have');
});

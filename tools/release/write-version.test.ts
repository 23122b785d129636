import { expect, test } from 'vitest';
import { datedChangelog, withOwnVersion } from './write-version.ts';

test('a lock gets the version at the root, at workspaces and where they need each other, and nowhere else', () => {
  const lock = {
    version: '0.0.0',
    packages: {
      '': { version: '0.0.0', devDependencies: { '@svc-pay/core': '0.0.0', zod: '4.0.0' } },
      'packages/core': { name: '@svc-pay/core', version: '0.0.0', dependencies: { '@svc-pay/money': '0.0.0' } },
      'node_modules/@svc-pay/core': { link: true },
      'node_modules/zod': { version: '4.0.0' },
    },
  };
  expect(JSON.parse(withOwnVersion(JSON.stringify(lock), '0.1.0'))).toEqual({
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0', devDependencies: { '@svc-pay/core': '0.1.0', zod: '4.0.0' } },
      'packages/core': { name: '@svc-pay/core', version: '0.1.0', dependencies: { '@svc-pay/money': '0.1.0' } },
      'node_modules/@svc-pay/core': { link: true },
      'node_modules/zod': { version: '4.0.0' },
    },
  });
});

test('unreleased changes move under the version, once', () => {
  const dated = datedChangelog('# Changelog\n\n## Unreleased\n\n- a change\n', '0.1.0', '2026-11-17');
  expect(dated).toBe('# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-17)\n\n- a change\n');
  expect(datedChangelog(dated, '0.1.0', '2026-12-01')).toBe(dated);
});

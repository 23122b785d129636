import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** Gzipped bytes of an entry with all its imports, minified for a browser. */
const LIMITS = {
  '.': 13_500,
  './bound-nonce': 10_000,
  './direct-nonce': 10_000,
  './errors': 5_000,
  './hash': 3_500,
  './icp': 5_000,
  './ids': 1_000,
  './merchant': 14_000,
  './operator': 14_000,
  './payout-activation': 4_000,
  './refund-nonce': 10_000,
  './refund-terms': 16_000,
  './solana': 4_600,
  './webhook': 10_400,
  './x402': 13_000,
};

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string>;
};

test('every entry has a size limit', () => {
  expect(Object.keys(exports)).toEqual(Object.keys(LIMITS));
});

test.each(Object.entries(LIMITS))('%s stays within %i bytes and needs nothing of Node', async (entry, limitBytes) => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(`../${exports[entry]}`, import.meta.url)),
    platform: 'browser',
    // An unresolvable import would otherwise be only a warning.
    onLog: (_, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const { code, imports } = output[0];
  expect(imports).toEqual([]);
  expect(code).not.toMatch(/node:|createHmac|process\.env|\bBuffer\./);
  if (entry === './webhook') expect(code).toContain('subtle');
  expect(gzipSync(code).length).toBeLessThanOrEqual(limitBytes);
});

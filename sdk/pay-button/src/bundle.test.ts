import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** 55,199 with the regular flow, of which its code and its words in two languages are 4,300; 50,899 without. */
const LIMIT_BYTES = 57_000;

test('the whole button, with Lit and the SDK, stays within 57,000 bytes and needs nothing of Node', async () => {
  const bundle = await rolldown({
    input: new URL('index.ts', import.meta.url).pathname,
    platform: 'browser',
    // An import that can't be resolved would only be a warning.
    onLog: (_, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const { code, imports } = output[0];
  expect(imports).toEqual([]);
  expect(/node:|process\.env|\bBuffer\./.test(code)).toBe(false);
  expect(gzipSync(code).length).toBeLessThanOrEqual(LIMIT_BYTES);
});

test('a server that makes pages may import it, and gets no element', async () => {
  const { TAG_NAME } = await import('./index.ts');
  expect(TAG_NAME).toBe('svc-pay-button');
});

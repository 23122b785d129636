import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { x402MatrixPage } from './x402-matrix-page.ts';

test('the page of stock clients and sellers shows what the interop tests saw', () => {
  expect(readFileSync('docs/reference/x402-matrix.md', 'utf8')).toBe(x402MatrixPage());
});

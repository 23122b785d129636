import { expect, test } from 'vitest';
import { createUnsentPages } from './unsent-pages.ts';

test('an account holds two pages, all accounts twenty, and a place is given back once', () => {
  const pages = createUnsentPages();
  const give = pages.take('a');
  expect(pages.take('a')).toBeDefined();
  expect(pages.take('a')).toBeUndefined();
  give?.();
  give?.();
  expect(pages.take('a')).toBeDefined();
  expect(pages.take('a')).toBeUndefined();
  for (let index = 0; index < 18; index += 1) expect(pages.take(`other ${index}`)).toBeDefined();
  expect(pages.take('b')).toBeUndefined();
});

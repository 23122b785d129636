import { expect, test } from 'vitest';
import { html, pageOf } from './html.ts';

test('text that is put into a page stays text', () => {
  const evil = `"><script>alert('x')</script>&`;
  expect(html`<p title="${evil}">${evil}</p>`.html).toBe(`<p title="${html`${evil}`.html}">${html`${evil}`.html}</p>`);
  expect(html`${evil}`.html).not.toMatch(/[<>"']/);
});

test('facts can’t end the script that holds them', () => {
  const page = pageOf({ title: 't', name: 'shop', facts: { a: '</script><b>' }, body: html`` });
  const [, json = ''] = /id="facts">(.*?)<\/script>/s.exec(page) ?? [];
  expect(JSON.parse(json)).toEqual({ a: '</script><b>' });
});

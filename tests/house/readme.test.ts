import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { committedFiles } from './source-tree.ts';

/** Folders whose children are listed instead of themselves. */
const LISTED_BY_CHILD = new Set(['packages', 'services', 'sdk']);
/** Settings of tools; a reader does not look for anything there. */
const NOT_LISTED = new Set(['.changeset']);

test('the folder table of the README lists every folder, and no other', () => {
  const table = readFileSync('README.md', 'utf8').split('## Folders')[1]?.split('\n## ')[0] ?? '';
  const listed = [...table.matchAll(/^\| `([^`]+)` /gm)].map(([, folder]) => folder);
  const present = new Set<string>();
  for (const path of committedFiles().keys()) {
    const [top = '', child = '', ...rest] = path.split('/');
    if (child === '' || NOT_LISTED.has(top)) continue;
    if (!LISTED_BY_CHILD.has(top)) present.add(top);
    else if (rest.length > 0) present.add(`${top}/${child}`);
  }
  expect(new Set(listed)).toEqual(present);
  expect(listed.length).toBe(present.size);
});

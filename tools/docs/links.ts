// Every relative link of the pages must lead to a file of the repository, and to a heading that is there.
// Addresses of other sites are left alone: a check that needs their servers would be red for their reasons.
import path from 'node:path';
import type { Problem } from './commands.ts';
import { anchorsOf, withoutFences } from './headings.ts';

export type Page = { readonly file: string; readonly markdown: string };
type Link = { readonly line: number; readonly target: string };

const INLINE = /\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g;
const REFERENCE = /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/gm;

/** `files` are the paths of the repository, from its root, with `/`. */
export function brokenLinks(page: Page, pages: ReadonlyMap<string, string>, files: ReadonlySet<string>): Problem[] {
  return linksOf(page.markdown).flatMap(({ line, target }) => {
    const text = whyBroken(page, target, pages, files);
    return text === undefined ? [] : [{ line, text: `link ${target}: ${text}` }];
  });
}

/** Relative links only, in the order of the page's forms: inline ones, then references. */
export function linksOf(markdown: string): Link[] {
  const prose = withoutFences(markdown).replaceAll(/(`+)[^\n]*?\1/g, (code) => ' '.repeat(code.length));
  return [INLINE, REFERENCE].flatMap((form) =>
    [...prose.matchAll(form)]
      .map((match) => ({ line: prose.slice(0, match.index).split('\n').length, target: match[1] ?? '' }))
      .filter(({ target }) => !/^[a-z][a-z0-9+.-]*:/i.test(target)),
  );
}

function whyBroken(
  page: Page,
  target: string,
  pages: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
): string | undefined {
  if (target === '') return 'it is empty';
  if (target.startsWith('/')) return 'write it relative to this page';
  const hash = target.indexOf('#');
  const [name, anchor] = hash === -1 ? [target, undefined] : [target.slice(0, hash), target.slice(hash + 1)];
  const file = name === '' ? page.file : path.posix.join(path.posix.dirname(page.file), decodeURIComponent(name));
  const folder = file.endsWith('/') ? file : `${file}/`;
  const isFolder = file === '.' || file === './' || [...files].some((known) => known.startsWith(folder));
  if (!files.has(file) && !isFolder) return 'no such file in the repository';
  if (anchor === undefined) return undefined;
  const markdown = file === page.file ? page.markdown : pages.get(file);
  if (markdown === undefined) return 'only Markdown files have headings to point at';
  return anchorsOf(markdown).has(anchor) ? undefined : `no heading #${anchor} there`;
}

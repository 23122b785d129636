import { expect, test } from 'vitest';
import { anchorsOf } from './headings.ts';
import { brokenLinks, linksOf } from './links.ts';

const pages = new Map([['docs/guide.md', '# The guide\n\n## Two `words`, here\n\n## Twice\n\n## Twice\n']]);
const files = new Set(['README.md', 'docs/guide.md', 'tools/a (copy).ts', 'LICENSE']);
const broken = (markdown: string, file = 'README.md') =>
  brokenLinks({ file, markdown }, pages, files).map((problem) => `${problem.line}: ${problem.text}`);

test('links to files, folders, headings and other sites hold', () => {
  const markdown = [
    '# Here',
    '[a](docs/guide.md) [b](docs/guide.md#two-words-here) [c](docs/) [d](docs) [e](#here) [f](https://example.com/x)',
    '[g](<docs/guide.md> "title") ![h](LICENSE) [![i](LICENSE)](docs/guide.md#twice-1) [j](tools/a%20(copy).ts)',
    '[k]: docs/guide.md#twice',
  ].join('\n');
  expect(linksOf(markdown)).toHaveLength(11);
  expect(broken(markdown)).toEqual([]);
});

test('links are followed from the page they stand on', () => {
  expect(broken('[up](../README.md) [beside](guide.md)', 'docs/index.md')).toEqual([]);
  expect(broken('[up](README.md)', 'docs/index.md')).toEqual(['1: link README.md: no such file in the repository']);
});

test.each([
  ['a file that is not there', '[a](docs/gone.md)', 'no such file in the repository'],
  ['a file outside the repository', '[a](../../etc/passwd)', 'no such file in the repository'],
  ['other letter case', '[a](readme.md)', 'no such file in the repository'],
  ['a heading that is not there', '[a](docs/guide.md#gone)', 'no heading #gone there'],
  ['a heading of this page that is not there', '[a](#gone)', 'no heading #gone there'],
  ['a third copy of a heading that stands twice', '[a](docs/guide.md#twice-2)', 'no heading #twice-2 there'],
  ['a heading of a file without headings', '[a](LICENSE#top)', 'only Markdown files have headings to point at'],
  ['an absolute path', '[a](/docs/guide.md)', 'write it relative to this page'],
  ['a reference', 'words\n\n[a]: docs/gone.md', 'no such file in the repository'],
])('%s is found', (_name, markdown, reason) => {
  expect(broken(markdown)).toEqual([expect.stringContaining(reason)]);
});

test('what stands in code is no link', () => {
  expect(broken('`[a](gone.md)` and\n\n```md\n[a](gone.md)\n```\n')).toEqual([]);
});

test('a heading inside a code block is no heading', () => {
  expect(anchorsOf('```sh\n# not a heading\n```\n')).toEqual(new Set());
});

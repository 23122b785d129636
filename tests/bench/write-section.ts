// Tables of a page that a bench writes itself: what stands between the two marks is replaced.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const PAGE = path.resolve('docs/operate/performance.md');

export function writeSection(name: string, lines: readonly string[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name}: written by the bench -->\n`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${PAGE} has no place for ${name}`);
  writeFileSync(PAGE, `${page.slice(0, from)}${begin}\n${lines.join('\n')}\n\n${page.slice(to)}`);
}

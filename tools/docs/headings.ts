// The anchors that a Markdown file offers, spelt as GitHub spells them.
import { fencesOf } from './fences.ts';

export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const prose = withoutFences(markdown);
  for (const [, heading = ''] of prose.matchAll(/^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/gm)) {
    const slug = slugOf(heading);
    let candidate = slug;
    for (let copy = 1; anchors.has(candidate); copy += 1) candidate = `${slug}-${copy}`;
    anchors.add(candidate);
  }
  for (const [, id = ''] of prose.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** The text with every fenced line emptied, so that line numbers stay. */
export function withoutFences(markdown: string): string {
  const lines = markdown.split(/\r?\n/);
  for (const fence of fencesOf(markdown)) lines.fill('', fence.line - 1, fence.lastLine);
  return lines.join('\n');
}

function slugOf(heading: string): string {
  const text = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
}

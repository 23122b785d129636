// Finds words that a SQL text compares with a status, assigns to one, or inserts. `HOLE` stands for each character of an
// expression within a template, so that positions are those of the source.

export const HOLE = '\u0001';

export type FoundWord = { readonly word: string; readonly index: number };

/** A column called status, a parameter, or an expression of the template: what may be a status on the left side. */
const LEFT = String.raw`(?:[\w.]*\bstatus|\b\w+_status|\$\d+(?:::\w+)?|${HOLE})\s*`;
const COMPARED = new RegExp(String.raw`${LEFT}(?:=|<>|!=)\s*'(\w+)'`, 'gd');
const LISTED = new RegExp(String.raw`${LEFT}(?:not\s+)?in\s*(\([^()]*\))`, 'gd');
const CHOSEN = /\bstatus\s*=\s*case\b([\s\S]*?)\bend\b/dg;
const INSERTED = /\binsert\s+into\s+svc\.([\s\S]*)/dg;
const ROWS = /\bvalues\s*(\(\s*'[\s\S]*?\))\s*as\b/dg;

export function wordsBesideStatus(sql: string): readonly FoundWord[] {
  const text = sql.replaceAll(/--[^\n]*/g, (comment) => ' '.repeat(comment.length));
  const within = (pattern: RegExp, words: RegExp) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const [from, to] = match.indices?.[1] ?? [0, 0];
      return [...text.slice(from, to).matchAll(words)].map((found) => ({
        word: found[1] ?? '',
        index: from + found.index + found[0].indexOf("'"),
      }));
    });
  return [
    ...within(COMPARED, /(\w+)/g).map(({ word, index }) => ({ word, index: index + 1 })),
    ...within(LISTED, /'(\w+)'/g),
    ...within(CHOSEN, /\b(?:then|else)\s+'(\w+)'/g),
    ...within(INSERTED, /[,(\s]'(\w+)'\s*(?=[,)])/g),
    ...within(ROWS, /'(\w+)'/g),
  ];
}

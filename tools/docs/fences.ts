// Finds the fenced code blocks of a Markdown file, as CommonMark does: backticks or tildes, closed by at least as many.
// Indentation is not limited to three spaces, so that a block inside a list item is found too.

export type Fence = {
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** The words behind the opening backticks: `sh runnable timeout=120`. */
  readonly info: string;
  readonly body: string;
  readonly closed: boolean;
};

const OPENING = /^(?<indent>[ \t]*)(?<marks>`{3,}|~{3,})(?<info>.*)$/;

export function fencesOf(markdown: string): Fence[] {
  const lines = markdown.split(/\r?\n/);
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const opening = OPENING.exec(lines[index] ?? '')?.groups;
    const { indent = '', marks = '', info = '' } = opening ?? {};
    // Backticks in the rest of the line make it inline code, not an opening.
    if (opening === undefined || (marks.startsWith('`') && info.includes('`'))) continue;
    const closing = new RegExp(`^[ \\t]*${marks[0]}{${marks.length},}[ \\t]*$`);
    const ending = lines.findIndex((line, at) => at > index && closing.test(line));
    const end = ending === -1 ? lines.length : ending;
    const body = lines.slice(index + 1, end).map((line) => dedent(line, indent.length));
    fences.push({
      line: index + 1,
      lastLine: Math.min(end + 1, lines.length),
      info: info.trim(),
      body: body.join('\n'),
      closed: ending !== -1,
    });
    index = end;
  }
  return fences;
}

function dedent(line: string, columns: number): string {
  const leading = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(columns, leading));
}

// What a page tells its reader to type: its blocks of shell, in order. The first sets variables, which are the reader's own.
import { type Fence, fencesOf } from '../../tools/docs/fences.ts';

type PageBlock = { readonly line: number; readonly script: string };

export type TypedPage = {
  /** Names that the first block sets. */
  readonly variables: readonly string[];
  readonly blocks: readonly PageBlock[];
};

const ASSIGNMENT = /^([A-Z][A-Z0-9_]*)=\S+$/;

/** Throws where the first block does more than to set variables: nothing else on the page may be replaced. */
export function readPage(markdown: string): TypedPage {
  const [first, ...blocks] = fencesOf(markdown).filter(({ info }) => info === 'sh');
  if (first === undefined || blocks.length === 0) throw new Error('the page has no blocks of shell');
  return { variables: first.body.split('\n').map((line) => nameIn(line, first)), blocks: blocks.map(blockOf) };
}

const blockOf = ({ line, body }: Fence): PageBlock => ({ line, script: body });

function nameIn(line: string, { line: at }: Fence): string {
  const [, name] = ASSIGNMENT.exec(line) ?? [];
  if (name === undefined) throw new Error(`the first block, line ${at}, sets variables and nothing else: ${line}`);
  return name;
}

const MARK = '::block';

/** One script: the given values, then every block as it stands, each announced with the line where it begins. */
export function scriptOf(page: TypedPage, values: Readonly<Record<string, string>>): string {
  const wanted = page.variables.toSorted().join();
  const given = Object.keys(values).toSorted().join();
  if (wanted !== given) throw new Error(`the page sets ${wanted}, the test gives ${given}`);
  const assignments = Object.entries(values).map(([name, value]) => `${name}='${value}'`);
  const blocks = page.blocks.flatMap(({ line, script }) => [`echo '${MARK} ${line}'`, script]);
  return [...assignments, ...blocks, `echo '${MARK} end'`, ''].join('\n');
}

/** Where the reader is, if the line is an announcement: a line of the page, or `end`. */
export const announcedIn = (output: string): string | undefined =>
  output.startsWith(`${MARK} `) ? output.slice(MARK.length + 1) : undefined;

// Which fences are to be run, and what each promises to print.
//
//   ```sh runnable timeout=120     run with bash from the repository root; seconds, 30 unless told
//   ```text prints                 right behind it: lines that the output must contain, in this order
//
// A mark that would be skipped in silence (a typing error, a promise without a command) is a problem instead.
import { type Fence, fencesOf } from './fences.ts';

export type Command = {
  readonly line: number;
  readonly script: string;
  readonly timeoutMs: number;
  /** Undefined: only the exit code counts. */
  readonly prints: string | undefined;
};

export type Problem = { readonly line: number; readonly text: string };

const DEFAULT_TIMEOUT_SECONDS = 30;
const SHELLS = new Set(['sh', 'bash', 'shell']);

export function commandsOf(markdown: string): { commands: Command[]; problems: Problem[] } {
  const lines = markdown.split(/\r?\n/);
  const commands: Command[] = [];
  const problems: Problem[] = [];
  const claimed = new Set<Fence>();
  const fences = fencesOf(markdown);
  for (const [index, fence] of fences.entries()) {
    const [language = '', ...marks] = fence.info.split(/\s+/);
    const problem = (text: string) => problems.push({ line: fence.line, text });
    if (!fence.closed) problem('this fence is never closed');
    if (language === 'text' && marks.join(' ') === 'prints') {
      if (!claimed.has(fence)) problem('a promise of output stands right behind the runnable fence it belongs to');
      else if (fence.body.trim() === '') problem('a promise of output promises nothing');
      continue;
    }
    if (!SHELLS.has(language)) {
      if (marks.includes('runnable')) problem(`only sh is runnable, not ${language}`);
      continue;
    }
    const timeoutMs = timeoutOf(marks);
    if (marks.length === 0) continue;
    if (timeoutMs === undefined) {
      problem(`unknown mark "${marks.join(' ')}"; known: runnable, runnable timeout=<seconds>`);
      continue;
    }
    const next = fences[index + 1];
    const promise =
      next?.info.split(/\s+/).join(' ') === 'text prints' && onlyBlank(lines, fence, next) ? next : undefined;
    if (promise !== undefined) claimed.add(promise);
    commands.push({ line: fence.line, script: fence.body, timeoutMs, prints: promise?.body });
  }
  return { commands, problems };
}

function timeoutOf(marks: readonly string[]): number | undefined {
  const [mark, option, ...rest] = marks;
  if (mark !== 'runnable' || rest.length > 0) return undefined;
  if (option === undefined) return DEFAULT_TIMEOUT_SECONDS * 1_000;
  const seconds = /^timeout=([1-9]\d{0,3})$/.exec(option)?.[1];
  return seconds === undefined ? undefined : Number.parseInt(seconds, 10) * 1_000;
}

function onlyBlank(lines: readonly string[], before: Fence, after: Fence): boolean {
  return lines.slice(before.lastLine, after.line - 1).every((line) => line.trim() === '');
}

// Compares what a page promises with what a command printed.
import { stripVTControlCharacters } from 'node:util';

/**
 * The first promised line that the output does not hold, or undefined when all of them appear in this order.
 * A promised line equals a whole printed line, trailing blanks aside; `…` in it stands for any text.
 * Other lines may be printed in between; blank promised lines and lines of only `…` promise nothing.
 */
export function missingLine(promised: string, printed: string): string | undefined {
  const lines = stripVTControlCharacters(printed)
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  let from = 0;
  for (const promise of promised.split(/\r?\n/).map((line) => line.trimEnd())) {
    if (promise.replaceAll('…', '').trim() === '') continue;
    const pattern = new RegExp(`^${promise.split('…').map(literally).join('.*')}$`, 'u');
    const at = lines.findIndex((line, index) => index >= from && pattern.test(line));
    if (at === -1) return promise;
    from = at + 1;
  }
  return undefined;
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

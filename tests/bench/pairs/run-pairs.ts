// The same bench in two checkouts by turns: what a step gained is seen only beside the step before, because the machine moves
// more from hour to hour than most steps do. Each checkout runs its own bench on its own code.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Pair, RunFigures } from './compare-pairs.ts';

/** Options of the comparison itself. */
const OWN_OPTIONS = ['--pairs', '--other', '--out'];

export async function runPairs(
  bench: string,
  other: string,
  count: number,
  given: readonly string[],
): Promise<readonly Pair[]> {
  const options = withoutOwn(given.filter((argument) => argument !== bench));
  const pairs: Pair[] = [];
  for (let index = 0; index < count; index += 1) {
    const hereFirst = index % 2 === 0;
    const first = await runIn(hereFirst ? '.' : other, bench, options);
    const second = await runIn(hereFirst ? other : '.', bench, options);
    pairs.push(hereFirst ? { here: first, other: second } : { here: second, other: first });
    console.log(`pair ${index + 1} of ${count} is measured`);
  }
  return pairs;
}

/** Without the options of the comparison and their values. */
export function withoutOwn(given: readonly string[]): readonly string[] {
  return given.filter((argument, index) => {
    const name = argument.split('=')[0] ?? '';
    const before = given[index - 1] ?? '';
    return !OWN_OPTIONS.includes(name) && !OWN_OPTIONS.includes(before);
  });
}

async function runIn(folder: string, bench: string, options: readonly string[]): Promise<RunFigures> {
  const child = spawn(process.execPath, ['tests/bench/main.ts', bench, ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [printed, [code]] = await Promise.all([text(child.stdout), ended]);
  const last = printed.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`the bench in ${folder} ended with ${code}: ${last}`);
  return JSON.parse(last) as RunFigures;
}

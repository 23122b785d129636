// The shortest history that still shows it: fewer kinds of faults, then fewer payments, as long as the same rule is broken.
import type { RunOptions, RunResult } from './run-result.ts';
import { runSeed } from './run-seed.ts';
import { FAULT_KINDS, type FaultKind } from './world/simulation.ts';

const ruleOf = ({ violations }: RunResult) => violations[0]?.split(':')[0];

export type Shrunk = { readonly result: RunResult; readonly payments: number; readonly without: readonly FaultKind[] };

export async function shrink(found: RunResult, options: RunOptions): Promise<Shrunk> {
  let best = found;
  let without = new Set<FaultKind>();
  let payments = found.payments;
  const holds = async (fewer: RunOptions) => {
    const result = await runSeed(found.seed, { ...options, ...fewer });
    if (ruleOf(result) !== ruleOf(found)) return false;
    if (result.history.length <= best.history.length) best = result;
    return true;
  };
  for (const kind of FAULT_KINDS) {
    const more = new Set([...without, kind]);
    if (await holds({ without: more, payments })) without = more;
  }
  while (payments > 1 && (await holds({ without, payments: payments - 1 }))) payments -= 1;
  return { result: best, payments, without: [...without] };
}

// Between a process and everything outside of it. A question takes a moment to arrive and its answer a moment to come
// back; in between the process may die, before the action or after it, freeze, or lose the answer.
import type { MortalProcess } from '../runtime/mortal-process.ts';
import type { Simulation } from './simulation.ts';

type Question = {
  readonly to: 'store' | 'node' | 'engine' | 'receiver';
  readonly what: string;
  /** After it something is different: these are the moments that matter. */
  readonly changes: boolean;
};

export type Ask = <Result>(question: Question, action: () => Result, lost: () => Error) => Promise<Result>;

const LATENCY_MS = 12;

export function createAsk(
  { timeline, dice, strikes, note, troubled }: Simulation,
  process: MortalProcess,
  freezeMs: () => number,
): Ask {
  const freeze = () => {
    troubled.add(process.name);
    process.freeze();
    timeline.after(freezeMs(), () => {
      note(process.name, 'goes on');
      process.thaw();
    });
  };
  return ({ to, what, changes }, action, lost) => {
    if (!process.isAlive()) return new Promise(() => {});
    const rare = changes ? 1 : 0.06;
    const fault = faultOf(strikes, to, rare);
    const isLate = dice.roll() < 0.5;
    if (fault !== undefined) note(process.name, `${fault} ${isLate ? 'after' : 'before'} ${what}`);
    if (fault === 'dies' && !isLate) {
      process.kill();
      return new Promise(() => {});
    }
    if (fault === 'freezes' && !isLate) freeze();
    return new Promise((resolve, reject) => {
      timeline.after(1 + dice.roll() * LATENCY_MS, () => {
        if (fault === 'loses the answer' && !isLate) {
          timeline.after(dice.roll() * LATENCY_MS, () => process.deliver(() => reject(lost())));
          return;
        }
        const end = outcomeOf(action);
        if (fault === 'dies') return process.kill();
        if (fault === 'freezes' && isLate) freeze();
        if (fault === 'loses the answer' && to === 'store') troubled.add(process.name);
        timeline.after(dice.roll() * LATENCY_MS, () =>
          process.deliver(() => {
            if (fault === 'loses the answer') reject(lost());
            else if (end.ok) resolve(end.result);
            else reject(end.problem);
          }),
        );
      });
    });
  };
}

type CallFault = 'dies' | 'freezes' | 'loses the answer';

function faultOf(strikes: Simulation['strikes'], to: Question['to'], rare: number): CallFault | undefined {
  if (strikes('crash', 0.035 * rare)) return 'dies';
  if (strikes('freeze', 0.012 * rare)) return 'freezes';
  if (to === 'store' && strikes('store lost', 0.03 * rare)) return 'loses the answer';
  if (to === 'node' && strikes('node lost', 0.1 * rare)) return 'loses the answer';
  return undefined;
}

type Outcome<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly problem: unknown };

function outcomeOf<Result>(action: () => Result): Outcome<Result> {
  try {
    return { ok: true, result: action() };
  } catch (problem) {
    return { ok: false, problem };
  }
}

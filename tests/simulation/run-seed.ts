// One seed: payments through lanes, and payments on a token ledger. Each part is a run of its own, so that what is drawn for one
// changes nothing in the other.
import { isIcrcBug } from './icrc/icrc-bugs.ts';
import { runLedger } from './run-ledger.ts';
import { runPayments } from './run-payments.ts';
import type { RunOptions, RunResult } from './run-result.ts';

export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunResult> {
  const { bug } = options;
  if (bug !== undefined) return isIcrcBug(bug) ? runLedger(seed, options) : runPayments(seed, options);
  const [one, other] = [await runPayments(seed, options), await runLedger(seed, options)];
  return {
    seed,
    steps: one.steps + other.steps,
    payments: one.payments + other.payments,
    deliveries: one.deliveries + other.deliveries,
    refunds: one.refunds + other.refunds,
    faults: one.faults + other.faults,
    violations: [...one.violations, ...other.violations],
    history: [...one.history, ...other.history],
  };
}

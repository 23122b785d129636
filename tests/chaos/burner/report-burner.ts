// A run in words, or as one JSON object for whoever counts.
import type { BurnerPlan, BurnerResult } from './run-burner.ts';

const MOST_SHOWN = 20;

export function reportBurner(result: BurnerResult, print: (line: string) => void): boolean {
  const { violations } = result;
  for (const { rule, intent, text } of violations.slice(0, MOST_SHOWN)) print(`${rule}: ${intent ?? ''} ${text}`);
  print(
    `hostile: ${result.hostile_sent} sent, ${result.hostile_taken} taken, ${result.hostile_paid} paid, ` +
      `${result.hostile_open} still open; at most ${result.hostile_transactions_max} transactions for one payment`,
  );
  print(
    `gas: ${result.gas_lost} (${result.eth_lost} ETH) in ${result.settled_nothing} transactions that settled nothing, ` +
      `${result.gas_honest} for honest payments, share ${result.gas_lost_share ?? 'unknown'}`,
  );
  print(
    `honest: success ${result.honest_success}; p50 ${result.p50_quiet_ms} ms quiet, ${result.p50_attack_ms} ms attacked; ` +
      `p99 ${result.p99_quiet_ms} ms quiet, ${result.p99_attack_ms} ms attacked; ${violations.length} violations`,
  );
  return violations.length === 0;
}

export function printBurner(plan: BurnerPlan, result: BurnerResult): void {
  const { seconds, quietSeconds, wallets, accounts, honest, hostile, seed } = plan;
  const asked = {
    seed,
    seconds,
    quiet_s: quietSeconds,
    wallets,
    accounts,
    honest_per_s: honest,
    hostile_per_s: hostile,
  };
  console.log(JSON.stringify({ ...asked, ...result, violations: result.violations.length }));
}

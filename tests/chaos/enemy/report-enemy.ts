// A run in words, as one JSON object for whoever counts, and as a picture.
import { writeFileSync } from 'node:fs';
import { drawEnemy } from './draw-enemy.ts';
import { BARS } from './judge-enemy.ts';
import type { EnemyPlan, EnemyRun } from './run-enemy.ts';

const MOST_SHOWN = 20;
const MOST_ANSWERS = 4;
/** Of honest payers alone: a fifth of what a payer waits. */
const CARRIED_P99_MS = 6_000;

/** Says whether nothing was violated and every bar was kept. */
export function reportEnemy(
  { result, course }: EnemyRun,
  plan: EnemyPlan,
  print: (line: string) => void,
  svg?: string,
): boolean {
  const { violations, bars_missed: missed } = result;
  for (const { rule, intent, text } of violations.slice(0, MOST_SHOWN)) print(`${rule}: ${intent ?? ''} ${text}`);
  for (const [name, { finding, sent, strikes, answers, taken, ended }] of Object.entries(result.attackers)) {
    const told = listed(answers);
    print(
      `${name} (${finding}): ${sent} sent in ${strikes} strikes: ${told}; ${taken} taken ${taken > 0 ? listed(ended) : ''}`,
    );
  }
  print(
    `honest: success ${result.honest_success} (bar ${BARS.honest_success}), p99 ${result.p99_quiet_ms} ms quiet, ` +
      `${result.p99_attack_ms} ms attacked, ratio ${result.p99_ratio} (bar ${BARS.p99_ratio}); ${listed(result.honest_ended)}`,
  );
  print(
    `contract wallets that paid before: success ${result.wallets_success}, p99 ${result.wallets_p99_quiet_ms} ms quiet, ` +
      `${result.wallets_p99_attack_ms} ms attacked; fresh ones: ${result.fresh_success} of ${result.fresh_sent}, ` +
      listed(result.fresh_ended),
  );
  print(
    `gas: ${result.gas_lost} (${result.eth_lost} ETH) in ${result.settled_nothing} transactions that settled nothing, ` +
      `${result.gas_honest} for honest payments, share ${result.gas_lost_share ?? 'unknown'} (bar ${BARS.gas_lost_share}), by the books ${result.gas_booked_share ?? 'unknown'}`,
  );
  print(
    `told of completed payments within ${result.told_p99_ms ?? '?'} ms (p99), beside a flood of events ` +
      `${result.told_flooded_p99_ms ?? '?'} ms; ${result.streams_refused} of honest streams refused`,
  );
  print(`cores: quiet ${JSON.stringify(result.cores_quiet)}, attacked ${JSON.stringify(result.cores_attack)}`);
  print(`${violations.length} violations; ${missed.length === 0 ? 'every bar kept' : `missed: ${missed.join(', ')}`}`);
  if (missed.length > 0 && result.p99_quiet_ms > CARRIED_P99_MS)
    print(
      `this machine does not carry ${plan.honest} honest payments a second even without attackers: success, latency and rate say ` +
        'nothing about the service. Free its processor, or lower --honest and --hostile.',
    );
  if (svg !== undefined) writeFileSync(svg, drawEnemy(result, course, plan));
  return violations.length === 0 && missed.length === 0;
}

export function printEnemy(plan: EnemyPlan, { result }: EnemyRun): void {
  const { seconds, quietSeconds, accounts, honest, hostile, seed } = plan;
  const asked = { seed, seconds, quiet_s: quietSeconds, accounts, honest_per_s: honest, hostile_asked_per_s: hostile };
  console.log(JSON.stringify({ ...asked, ...result, violations: result.violations.length }));
}

function listed(counts: Readonly<Record<string, number>>): string {
  const all = Object.entries(counts).toSorted(([, one], [, other]) => other - one);
  const more = all.length > MOST_ANSWERS ? ', …' : '';
  return `${all
    .slice(0, MOST_ANSWERS)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ')}${more}`;
}

// A run over time: honest latency and success, hostile requests, and the gas that settled nothing.
import { quantile } from '../../quantile.ts';
import { drawPanels } from '../harness/draw-panels.ts';
import type { EnemyCourse, EnemyPlan, EnemyResult } from './run-enemy.ts';

/** Seconds that make one point of a curve. */
const STEP = 5;

export function drawEnemy(
  { violations, honest_success, p99_ratio, gas_lost_share }: EnemyResult,
  { attackFrom, payments, hostile, blocks }: EnemyCourse,
  plan: EnemyPlan,
): string {
  const steps = Math.ceil((plan.quietSeconds + plan.seconds) / STEP);
  const seconds = Array.from({ length: steps }, (_, step) => step * STEP);
  const within = <Item extends { readonly second: number }>(items: readonly Item[], from: number) =>
    items.filter(({ second }) => second >= from && second < from + STEP);
  const regulars = payments.filter(({ payment }) => payment.kind !== 'fresh');
  const latency = (share: number) =>
    seconds.map((from) => {
      const paid = within(regulars, from).filter(({ payment }) => payment.answer.status === 'succeeded');
      return paid.length === 0
        ? 0
        : quantile(
            paid.map(({ payment }) => payment.latencyMs),
            share,
          );
    });
  const unpaid = (kinds: readonly string[]) =>
    seconds.map((from) => {
      const of = within(payments, from).filter(({ payment }) => kinds.includes(payment.kind));
      return of.filter(({ payment }) => payment.answer.status !== 'succeeded').length;
    });
  const attack = hostile.map(({ sent, refused }, second) => ({ second: second + attackFrom, sent, refused }));
  const rate = (read: (one: { readonly sent: number; readonly refused: number }) => number) =>
    seconds.map((from) => within(attack, from).reduce((sum, one) => sum + read(one), 0) / STEP);
  return drawPanels({
    title:
      `seed ${plan.seed}: honest success ${honest_success}, p99 ratio ${p99_ratio}, gas lost ${gas_lost_share ?? '?'}, ` +
      `${violations.length} violations`,
    seconds,
    panels: [
      {
        title: 'honest payments: ms to the end',
        curves: [
          { name: 'p99', values: latency(0.99) },
          { name: 'p50', values: latency(0.5) },
        ],
      },
      {
        title: `honest payments that did not succeed, in ${STEP} s`,
        curves: [
          { name: 'paid before', values: unpaid(['key', 'wallet']) },
          { name: 'fresh wallets', values: unpaid(['fresh']) },
        ],
      },
      {
        title: 'hostile requests a second',
        curves: [
          { name: 'sent', values: rate(({ sent }) => sent) },
          { name: 'refused', values: rate(({ refused }) => refused) },
        ],
      },
      { title: 'millions of gas a second', curves: gasCurves(blocks, seconds) },
    ],
    marks: [attackFrom],
    footer: `${plan.quietSeconds + plan.seconds} seconds; the attack begins at the line`,
  });
}

function gasCurves(blocks: EnemyCourse['blocks'], seconds: readonly number[]) {
  const millions = (read: (block: EnemyCourse['blocks'][number]) => bigint) =>
    seconds.map((from) => {
      const of = blocks.filter(({ second }) => second >= from && second < from + STEP);
      return Number(of.reduce((sum, block) => sum + read(block), 0n) / 1_000n) / 1_000 / STEP;
    });
  return [
    { name: 'settled', values: millions(({ gasSettled }) => gasSettled) },
    { name: 'for nothing', values: millions(({ gasLost }) => gasLost) },
  ];
}

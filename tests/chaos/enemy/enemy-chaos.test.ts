// The short form of `npm run chaos -- enemy`: every attacker, fewer payers, no bar on latency.
import { expect, test } from 'vitest';
import { silent } from '../../progress.ts';
import { runEnemy } from './run-enemy.ts';

test('every attacker at once: no honest payment is lost or doubled, and no attacker is told a lie', async () => {
  const rates = { accounts: 6, honest: 10, hostile: 120, seed: 23 };
  // Payers are as patient as a busy machine needs: with less, latency would be part of their success.
  const seconds = { seconds: 8, rehearsalSeconds: 0, quietSeconds: 3, roundSeconds: 4, drainSeconds: 2 };
  const plan = { ...rates, ...seconds, patienceSeconds: 120 };
  const { result } = await runEnemy(plan, silent);
  const { violations, attackers, ...figures } = result;
  console.log(JSON.stringify(figures));
  expect(violations).toEqual([]);
  expect(figures.honest_success).toBeGreaterThanOrEqual(0.995);
  for (const [name, { sent }] of Object.entries(attackers)) expect(sent, name).toBeGreaterThan(0);
});

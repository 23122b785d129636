import { expect, test } from 'vitest';
import { loadAttackers } from './load-attackers.ts';

test('every file of attackers/ is an attacker with a name of its own, and together they make 400 requests a second', async () => {
  const attackers = await loadAttackers();
  const names = attackers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(attackers.reduce((sum, { perSecond }) => sum + perSecond, 0)).toBe(400);
  for (const { addresses, finding } of attackers) {
    expect(addresses).toBeGreaterThan(0);
    expect(finding).toMatch(/^[A-Z0-9]/);
  }
});

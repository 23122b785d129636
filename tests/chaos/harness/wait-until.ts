import { setTimeout as sleep } from 'node:timers/promises';

/** Returns whether the condition became true in time. A check that throws counts as false: its target may be down. */
export async function waitUntil(isSo: () => Promise<boolean>, patienceMs: number, everyMs = 50): Promise<boolean> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    if (await isSo().catch(() => false)) return true;
    if (performance.now() > endMs) return false;
    await sleep(everyMs);
  }
}

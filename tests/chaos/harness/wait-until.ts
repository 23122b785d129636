import { setTimeout as sleep } from 'node:timers/promises';

/** Whether it came true in time. A question that fails counts as not yet: what it asks may be down. */
export async function waitUntil(isSo: () => Promise<boolean>, patienceMs: number, everyMs = 50): Promise<boolean> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    if (await isSo().catch(() => false)) return true;
    if (performance.now() > endMs) return false;
    await sleep(everyMs);
  }
}

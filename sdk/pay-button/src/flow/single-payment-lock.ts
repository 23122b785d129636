// One payment at a time for the same thing, over all buttons and tabs of a browser. The lock goes with the tab that held it.
const held = new Set<string>();

/** False when somebody else is at it; the work is not begun then. */
export async function alone(key: string, work: () => Promise<void>): Promise<boolean> {
  const locks = globalThis.navigator?.locks;
  // Pages without TLS have no locks; then at least the buttons of one page keep apart.
  if (locks === undefined) return aloneOnPage(key, work);
  return locks.request(`svc-pay:${key}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await work();
    return true;
  });
}

async function aloneOnPage(key: string, work: () => Promise<void>): Promise<boolean> {
  if (held.has(key)) return false;
  held.add(key);
  try {
    await work();
    return true;
  } finally {
    held.delete(key);
  }
}

/** An answer without what two stores may write differently: bytes as hex, whole numbers as text, sets as lists. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Set) return [...value].map((member) => String(plain(member))).toSorted();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, plain(field)]),
  );
}

/** What a call answered, or that it threw. */
export async function answerOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return plain(await call());
  } catch {
    return 'thrown';
  }
}

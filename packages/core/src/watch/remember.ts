/** Keeps at most `most` keys: the one that was written longest ago is forgotten for a new one. */
export function remember<Value>(known: Map<string, Value>, key: string, value: Value, most: number): void {
  known.delete(key);
  const [oldest] = known.size >= most ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, value);
}

// JSON with whole numbers as bigints: a lamport balance may exceed what a double holds.

type SourceContext = { readonly source?: string };

/** A double holds every whole number of fewer digits. Inside of a string a digit mostly follows another character: `Budget1111…`. */
const MAY_BE_ROUNDED = /(?:^|[:,[\s-])\d{16}/;

/**
 * A reviver that is told the source of each number takes several times the CPU of parsing: it is used only for a text that
 * has such a number, or a string that looks like it.
 */
export function parseExact(text: string): unknown {
  return MAY_BE_ROUNDED.test(text) ? parseBySource(text) : withBigints(JSON.parse(text));
}

/** Changes the value in place. */
function withBigints(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const parts = value as Record<string, unknown>;
  for (const key of Object.keys(parts)) {
    const part = parts[key];
    if (typeof part === 'number' || typeof part === 'object') parts[key] = withBigints(part);
  }
  return value;
}

function parseBySource(text: string): unknown {
  const revive = (_key: string, value: unknown, context: SourceContext) =>
    typeof value === 'number' && context.source !== undefined && /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

export function printExact(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? rawJson(inner.toString()) : inner,
  );
}

const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };

// JSON with whole numbers as bigints: a lamport balance may exceed what a double holds.

type SourceContext = { readonly source?: string };

export function parseExact(text: string): unknown {
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

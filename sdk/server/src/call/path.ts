type QueryValue = string | number | boolean | Date | undefined;

/** What is left out is not asked for; dates are sent as ISO 8601. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, textOf(value)] as const],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(pairs)).toString()}`;
}

const textOf = (value: Exclude<QueryValue, undefined>): string =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value);

/** What is no id can't change where a request goes: `..` would, and the service says `not_found` to this. */
export const segment = (id: string): string => (/^\w{1,100}$/.test(id) ? id : '-');

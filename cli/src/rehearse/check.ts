// One thing that was compared, green or red, with the values that were seen.
export type Check = {
  readonly id: string;
  readonly ok: boolean;
  /** The values, so that a reader of a red check need not look elsewhere. */
  readonly seen: string;
};

type Value = bigint | string | number | boolean | null | undefined;

/** Green if all of them say the same. Addresses and hashes are the same in either case of letters. */
export function agree(id: string, values: Readonly<Record<string, Value>>): Check {
  const told = Object.entries(values).map(([source, value]) => [source, String(value).toLowerCase()] as const);
  return {
    id,
    ok: new Set(told.map(([, value]) => value)).size === 1,
    seen: told.map(([source, value]) => `${source} ${value}`).join(', '),
  };
}

export const holds = (id: string, ok: boolean, seen: string): Check => ({ id, ok, seen });

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id with `prefix` and the time `atMs`. Ids of the same millisecond differ by `tail`. */
export function idAt(prefix: string, atMs: number, tail = '0'): string {
  const digits = atMs.toString(32).replaceAll(/./g, (digit) => CROCKFORD.charAt(Number.parseInt(digit, 32)));
  return `${prefix}_${digits.padStart(10, '0')}${tail.padStart(16, '0')}`;
}

/** The one `string` that an EVM call returned; undefined when it returned something else. */
export function decodeString(result: unknown): string | undefined {
  if (typeof result !== 'string' || !/^0x(?:[0-9a-fA-F]{64}){2,}$/.test(result)) return undefined;
  const word = (index: number) => BigInt(`0x${result.slice(2 + index * 64, 2 + (index + 1) * 64)}`);
  const length = word(1);
  if (word(0) !== 32n || length > 256n) return undefined;
  const bytes = Buffer.from(result.slice(130, 130 + Number(length) * 2), 'hex');
  return bytes.length === Number(length) ? bytes.toString('utf8') : undefined;
}

/** Unsigned LEB128. */
export function leb128(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  do {
    const low = Number(left & 127n);
    left >>= 7n;
    bytes.push(left === 0n ? low : low | 128);
  } while (left !== 0n);
  return Uint8Array.from(bytes);
}

/** Of a number that takes up all bytes. */
export function readLeb128(bytes: Uint8Array): bigint {
  return bytes.reduceRight((rest, byte) => (rest << 7n) | BigInt(byte & 127), 0n);
}

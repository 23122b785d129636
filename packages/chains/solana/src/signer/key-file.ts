const SECRET_BYTES = 32;
/** Format of `solana-keygen`: the secret and the public key, as a list of numbers. */
const PAIR_BYTES = 64;

/** The 32 secret bytes in a key file: raw, or as `solana-keygen` writes them. Undefined for anything else. */
export function secretInKeyFile(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length === SECRET_BYTES) return bytes;
  try {
    const numbers: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (!Array.isArray(numbers) || numbers.length !== PAIR_BYTES) return undefined;
    const whole = numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= 255);
    return whole ? Uint8Array.from(numbers.slice(0, SECRET_BYTES) as number[]) : undefined;
  } catch {
    return undefined;
  }
}

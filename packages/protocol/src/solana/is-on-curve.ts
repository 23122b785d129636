// Whether 32 bytes are a point of ed25519 and so may be a public key. Program-derived addresses never are.

const P = 2n ** 255n - 19n;
/** -121665/121666 */
const D = 37_095_705_934_669_439_343_138_083_508_754_565_189_542_113_879_843_219_016_388_785_533_085_940_283_555n;
const SIGN_BIT = 1n << 255n;

/** RFC 8032, 5.1.3: x² = (y² − 1) / (d·y² + 1) has a root. Numbers past P are reduced modulo P, as on chain. */
export function isOnCurve(bytes: Uint8Array): boolean {
  let number = 0n;
  for (const byte of bytes.toReversed()) number = (number << 8n) + BigInt(byte);
  const y = (number & (SIGN_BIT - 1n)) % P;
  const above = modulo(y * y - 1n);
  const below = modulo(D * y * y + 1n);
  if (above === 0n) return true;
  // Euler: a/b is a square exactly when a·b is.
  return power(modulo(above * below), (P - 1n) / 2n) === 1n;
}

const modulo = (value: bigint): bigint => ((value % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

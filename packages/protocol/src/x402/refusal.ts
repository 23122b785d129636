// Why something of x402 can't be read: the field, and a sentence about it. The sentence repeats nothing of the input.
import type * as z from 'zod/mini';

export type X402Refusal = {
  readonly ok: false;
  readonly code: 'invalid_payment_header';
  readonly reason:
    | 'not_text'
    | 'too_long'
    | 'not_base64'
    | 'not_utf8'
    | 'not_json'
    | 'wrong_shape'
    | 'unknown_network'
    | 'not_supported'
    | 'contradiction';
  /** Path of the first field that does not fit; empty for the whole. */
  readonly path: string;
  /** A sentence for the engineer at the other end. */
  readonly message: string;
};

/** By the last name of a path. */
const WHY: Readonly<Record<string, string>> = {
  '': 'must be a JSON object',
  x402Version: 'must be the number 1 or 2',
  scheme: 'must be "exact" or "upto"',
  network: 'must be text, such as "eip155:8453"',
  amount: 'must be text of decimal digits, in the smallest unit of the token',
  maxAmountRequired: 'must be text of decimal digits, in the smallest unit of the token',
  value: 'must be text of decimal digits, in the smallest unit of the token',
  maxTimeoutSeconds: 'must be a whole number of seconds above 0',
  validAfter: 'must be text of decimal digits, in unix seconds',
  validBefore: 'must be text of decimal digits, in unix seconds',
  nonce: 'must be 32 bytes in hex with 0x',
  from: 'must be an address of the network',
  to: 'must be an address of the network',
  signature: 'must be a signature of the network, on EVM 64 to 2048 bytes in hex with 0x',
  transaction: 'must be the base64 of a transaction of at most 1232 bytes',
  url: 'must be text of 1 to 2048 characters',
};

export function x402Refusal(reason: X402Refusal['reason'], path: string, why?: string): X402Refusal {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const told = why ?? (Object.hasOwn(WHY, name) ? WHY[name] : 'is missing or has another form than x402 says');
  return {
    ok: false,
    code: 'invalid_payment_header',
    reason,
    path,
    message: `${path === '' ? 'The payment' : `The field ${path}`} ${told}.`,
  };
}

/** The first issue that a schema found, below a path. */
export function shapeRefusal(error: z.core.$ZodError, below = ''): X402Refusal {
  const inner = error.issues[0]?.path.join('.') ?? '';
  return x402Refusal('wrong_shape', [below, inner].filter((part) => part !== '').join('.'));
}

// Text formats that recur in wire shapes.
import { parseAtomic } from '@svc-pay/money';
import * as z from 'zod/mini';

/** An amount in the token's smallest unit: canonical decimal digits below 2^256. */
export const atomicText = z.string().check(
  z.regex(/^(?:0|[1-9]\d{0,77})$/),
  z.refine((text) => parseAtomic(text).ok),
);

/** An EVM address in any letter case: the bytes count, the checksum is not verified. */
export const evmAddress = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/));

export const bytes32 = z.string().check(z.regex(/^0x[0-9a-fA-F]{64}$/));

/** Unix seconds as text. Twelve digits reach past the year 30000, which is enough for any payer. */
export const unixSecondsText = z.string().check(z.regex(/^(?:0|[1-9]\d{0,11})$/));

/** Dollars as plain decimal text: no exponent, no sign. */
export const usdText = z.string().check(z.regex(/^(?:0|[1-9]\d{0,12})(?:\.\d{1,18})?$/));

export const isoTime = z.iso.datetime();

/** A free JSON object, kept unchanged. */
export const jsonObject = z.looseObject({});

/** A non-negative whole number that JSON and JavaScript represent exactly. */
export const wholeNumber = z.int().check(z.nonnegative());

/** Dollars from a client: a JSON number, or decimal text where a float would not hold the value. */
export const usdInput = z.union([z.number(), z.string()]);

// Reads the amount that the merchant asks for: dollars, smallest units, or both in agreement.
import { type AtomicAmount, parseAtomic, parseUsd, type Usd } from '@svc-pay/money';
import type { CreateIntentRequest } from '@svc-pay/protocol';

/** The processor packs amounts into 128 bits. */
export const MAX_PAYABLE_ATOMIC = 2n ** 128n - 1n;

export type AskedAmount = { readonly usd: Usd | null; readonly atomic: AtomicAmount | null };

export type ReadAmount =
  | { readonly ok: true; readonly asked: AskedAmount }
  | {
      readonly ok: false;
      readonly code: 'amount_missing' | 'invalid_amount' | 'amount_too_large' | 'amounts_disagree';
      readonly param: 'usdAmount' | 'amountUsd' | 'amount' | null;
    };

export function readAmount(request: CreateIntentRequest): ReadAmount {
  const dollars = readUsd(request);
  if (!dollars.ok) return dollars;
  const units = readAtomic(request.amount);
  if (!units.ok) return units;
  if (dollars.usd === null && units.atomic === null) return { ok: false, code: 'amount_missing', param: null };
  return { ok: true, asked: { usd: dollars.usd, atomic: units.atomic } };
}

type Refused = Extract<ReadAmount, { ok: false }>;

function readUsd({ usdAmount, amountUsd }: CreateIntentRequest): { ok: true; usd: Usd | null } | Refused {
  const given = [
    ['usdAmount', usdAmount],
    ['amountUsd', amountUsd],
  ] as const;
  let usd: Usd | null = null;
  for (const [param, value] of given) {
    if (value === undefined || value === null) continue;
    const parsed = parseUsd(value);
    if (!parsed.ok)
      return { ok: false, code: parsed.code === 'too_large' ? 'amount_too_large' : 'invalid_amount', param };
    if (parsed.usd === 0n) return { ok: false, code: 'invalid_amount', param };
    if (usd !== null && usd !== parsed.usd) return { ok: false, code: 'amounts_disagree', param };
    usd = parsed.usd;
  }
  return { ok: true, usd };
}

function readAtomic(text: string | null | undefined): { ok: true; atomic: AtomicAmount | null } | Refused {
  if (text === undefined || text === null) return { ok: true, atomic: null };
  const parsed = parseAtomic(text);
  if (!parsed.ok)
    return { ok: false, code: parsed.code === 'too_large' ? 'amount_too_large' : 'invalid_amount', param: 'amount' };
  if (parsed.atomic === 0n) return { ok: false, code: 'invalid_amount', param: 'amount' };
  if (parsed.atomic > MAX_PAYABLE_ATOMIC) return { ok: false, code: 'amount_too_large', param: 'amount' };
  return { ok: true, atomic: parsed.atomic };
}

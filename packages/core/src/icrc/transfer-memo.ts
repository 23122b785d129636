// A transfer names its intent by its memo. Every ICRC-1 ledger takes memos of 32 bytes.
import { isIntentCode } from '../intent/intent-code.ts';

const FORM = /^svc:(0|[1-9]\d{0,15})$/;
const MOST_BYTES = 32;

export function memoOfIntent(intentCode: bigint): Uint8Array {
  if (!isIntentCode(intentCode)) throw new RangeError(`${intentCode} is no intent code`);
  return new TextEncoder().encode(`svc:${intentCode}`);
}

/** Undefined where the memo names no intent. */
export function intentCodeIn(memo: Uint8Array | null): bigint | undefined {
  if (memo === null || memo.length > MOST_BYTES) return undefined;
  const [, digits] = FORM.exec(Buffer.from(memo).toString('latin1')) ?? [];
  const code = digits === undefined ? undefined : BigInt(digits);
  return code !== undefined && isIntentCode(code) ? code : undefined;
}

const NS_PER_MS = 1_000_000n;

/**
 * `created_at_time` of every transfer that pays the intent: the same for each attempt, so that the ledger calls a repeat a
 * duplicate of the first. A ledger takes times of the last 24 hours. Each payment that is recorded for the intent moves it by a
 * nanosecond, whether it counts or not: what is asked for afterwards may be the same amount, and is no repeat.
 */
export const transferTimeNs = (intentCreatedAtMs: number, payments: number): bigint =>
  BigInt(intentCreatedAtMs) * NS_PER_MS + BigInt(payments);

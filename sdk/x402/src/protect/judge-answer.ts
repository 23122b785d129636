// What a refusal of the service means to a buyer: whether a new price may be told. A buyer that sees a new price signs again,
// so it is told only where the first payment has certainly moved nothing.
import { ERRORS, type ErrorCode, isErrorCode } from '@svc-pay/protocol/errors';
import { DUPLICATE_SETTLEMENT, SETTLEMENT_PENDING, type X402SettleAnswer, x402ReasonOf } from '@svc-pay/protocol/x402';
import type { SettleOutcome } from './way-to-pay.ts';

/** The payment is spent, or another call has it. */
const USED_CODES: readonly ErrorCode[] = ['authorization_already_used', 'authorization_bound_elsewhere'];

const namesOf = (code: ErrorCode, step: 'verify' | 'settle') =>
  ([1, 2] as const).flatMap((version) =>
    ['eip155:8453', 'solana:mainnet'].map((network) => x402ReasonOf(code, version, network, step)),
  );

/** Every version and chain has a name of its own for them, and some names stand for other refusals too. */
const USED_NAMES: ReadonlySet<string> = new Set([
  DUPLICATE_SETTLEMENT,
  SETTLEMENT_PENDING,
  ...USED_CODES.flatMap((code) => namesOf(code, 'verify')),
]);
const AMOUNT_NAMES: ReadonlySet<string> = new Set(namesOf('amount_mismatch', 'settle'));
const UNEXPECTED = 'unexpected_settle_error';

/** The service begins its sentence with its own code, which is more exact than the published name. */
function codeIn(message: string | undefined): ErrorCode | undefined {
  const [code = ''] = message?.split(':', 1) ?? [];
  return isErrorCode(code) ? code : undefined;
}

/** Whether a refusal says that the payment is spent or in use. */
export function isInUse(reason: string, message: string | undefined): boolean {
  const code = codeIn(message);
  if (reason === DUPLICATE_SETTLEMENT || reason === SETTLEMENT_PENDING) return true;
  return code === undefined ? USED_NAMES.has(reason) : USED_CODES.includes(code);
}

export function settleOutcome(receipt: X402SettleAnswer): SettleOutcome {
  const { success, errorReason = UNEXPECTED, errorMessage, transaction } = receipt;
  if (success) return { status: 'paid', receipt };
  if (errorReason === SETTLEMENT_PENDING) return { status: 'pending', receipt };
  if (isInUse(errorReason, errorMessage)) return { status: 'in_use', receipt };
  // The wallet received another amount than was signed: the money moved.
  if (transaction !== '' && AMOUNT_NAMES.has(errorReason)) return { status: 'in_use', receipt };
  return { status: isUnknown(errorReason, errorMessage) ? 'pending' : 'failed', receipt };
}

/** The service could not find out, or says nothing that is known here. */
function isUnknown(reason: string, message: string | undefined): boolean {
  const code = codeIn(message);
  return code === undefined ? reason === UNEXPECTED : ERRORS[code].status >= 500;
}

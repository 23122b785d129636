// Verifies a header and stores it on its up-to intent. Confirm always does this; settle does it for a header that was
// never confirmed, once the amount is known to fit.
import { decodePaymentHeader } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Origin } from '../event/event-draft.ts';
import { authorizationIn } from './settle-payment.ts';
import type { ConfirmationOutcome, UptoPorts } from './upto-ports.ts';
import type { UptoRead } from './upto-read.ts';
import { type HeaderCall, type VerifiedHeader, verifyHeader } from './verify-upto-header.ts';

export type TakenHeader =
  /** `first`: stored by this call. */
  { readonly ok: true; readonly first: boolean } | { readonly ok: false; readonly code: ErrorCode };

/** Calls `fits` last, before anything is written: a returned code refuses the header. */
export async function takeHeader(
  ports: UptoPorts,
  call: HeaderCall & { readonly origin: Origin },
  { intent }: UptoRead,
  fits: (header: VerifiedHeader) => ErrorCode | undefined = () => undefined,
): Promise<TakenHeader> {
  const { caller, intentId, encodedHeader, origin } = call;
  const verified = await verifyHeader(ports, call, intent);
  if (!verified.ok) {
    if (verified.code === 'taken_here') return { ok: true, first: false };
    if (verified.code === 'chain_unavailable') return { ok: false, code: verified.code };
    const payer = authorizationIn(decodePaymentHeader(encodedHeader))?.from.toLowerCase() ?? null;
    const detail = ('detail' in verified ? verified.detail : undefined) ?? null;
    await ports.recordAttempt({ caller, intentId, code: verified.code, detail, payer, nowMs: ports.clock.nowMs() });
    return { ok: false, code: verified.code };
  }
  const unfit = fits(verified);
  if (unfit !== undefined) return { ok: false, code: unfit };
  const { acceptance, kind, byContract, claimKey, header } = verified;
  const outcome = await ports.recordConfirmation({
    caller,
    intentId,
    claimKey,
    kind,
    byContract,
    acceptance,
    authorization: header.payload.authorization,
    signature: header.payload.signature,
    origin,
    nowMs: ports.clock.nowMs(),
  });
  return OUTCOMES[outcome];
}

const OUTCOMES: Readonly<Record<ConfirmationOutcome, TakenHeader>> = {
  confirmed: { ok: true, first: true },
  confirmed_before: { ok: true, first: false },
  bound_elsewhere: { ok: false, code: 'authorization_bound_elsewhere' },
  other_confirmed: { ok: false, code: 'upto_already_confirmed' },
  intent_taken: { ok: false, code: 'intent_not_payable' },
};

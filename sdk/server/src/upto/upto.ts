// Up-to payments from the merchant's backend: keep a signed cap, charge the real amount, or let go.
import {
  type AcceptanceEcho,
  intentStatusResponse,
  type UptoConfirmResponse,
  type UptoSettleResponse,
  uptoConfirmResponse,
  uptoSettleResponse,
} from '@svc-pay/protocol';
import { badCall, type CallFailure, failureFromOutcome } from '../call/call-failure.ts';
import type { CallOptions, Connection } from '../call/connection.ts';
import { exactly } from '../call/read-answer.ts';
import type { IntentSituation } from '../intents/intents.ts';
import { type SettleCall, settleRequest } from './settle-request.ts';

export type UptoConfirmed = { readonly ok: true; readonly confirmation: UptoConfirmResponse };
export type UptoSettled = { readonly ok: true; readonly settlement: UptoSettleResponse };
export type UptoReleased = { readonly ok: true; readonly released: IntentSituation };

export type ConfirmCall = {
  readonly paymentIntentId: string;
  /** The payer's signed header, base64. */
  readonly paymentHeader: string;
  /** The acceptance that was signed; found by the header when left out. */
  readonly paymentRequirements?: AcceptanceEcho;
};

export type Upto = {
  /**
   * Verifies a cap that a payer signed and keeps it for the intent. No money moves. For a server that was given the header;
   * a page confirms by itself. The same header again answers the same; another one is refused.
   */
  readonly confirm: (call: ConfirmCall, options?: CallOptions) => Promise<UptoConfirmed | CallFailure>;
  /**
   * Charges the final amount. Safe to call again with the same amount, also after a crash: the payer is charged once, and
   * the answer says how it stands. Another amount is refused with `upto_already_settled`. `status: 'processing'` is not
   * the end; the end comes by webhook, or by calling again.
   */
  readonly settle: (call: SettleCall, options?: CallOptions) => Promise<UptoSettled | CallFailure>;
  /** Gives an authorization up that was not settled. The intent becomes `canceled`; again, the answer is the same. */
  readonly release: (
    call: { readonly paymentIntentId: string },
    options?: CallOptions,
  ) => Promise<UptoReleased | CallFailure>;
};

export function uptoOf({ call, accountId }: Connection): Upto {
  return {
    confirm: async (body, options) => {
      const path = '/sdk/public/payments/intents/x402/upto/confirm';
      const answer = await call({ method: 'POST', path, body, read: exactly(uptoConfirmResponse) }, options);
      if (!answer.ok) return answer;
      const { value: confirmation, requestId } = answer;
      return confirmation.ok ? { ok: true, confirmation } : failureFromOutcome(confirmation, requestId);
    },
    settle: async (asked, options) => {
      const checked = settleRequest(asked);
      if (!checked.ok) return checked;
      if (accountId === undefined) return badCall('account_id_required', 'accountId');
      const path = '/sdk/payments/x402/upto/settle';
      // Without an idempotency key: the intent is the key, and a repeat is told how the first one stands.
      const answer = await call(
        { method: 'POST', path, body: checked.request, charges: true, read: exactly(uptoSettleResponse) },
        options,
      );
      if (!answer.ok) return answer;
      const { value: settlement, requestId } = answer;
      const isGood = settlement.ok && settlement.status !== 'failed';
      return isGood ? { ok: true, settlement } : failureFromOutcome(settlement, requestId);
    },
    release: async ({ paymentIntentId }, options) => {
      const path = '/sdk/payments/x402/upto/release';
      const body = { paymentIntentId };
      const answer = await call({ method: 'POST', path, body, read: exactly(intentStatusResponse) }, options);
      return answer.ok ? { ok: true, released: answer.value } : answer;
    },
  };
}

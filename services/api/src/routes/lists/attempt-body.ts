import { isoTime } from '@svc-pay/core';
import type { ListedAttempt } from '@svc-pay/postgres/merchant-api';
import { ERRORS, isErrorCode } from '@svc-pay/protocol/errors';
import type { AttemptBody } from '@svc-pay/protocol/merchant';

export const attemptBody = (intentId: string, { id, code, payer, createdAtMs }: ListedAttempt): AttemptBody => ({
  id,
  paymentIntentId: intentId,
  code,
  message: isErrorCode(code) ? ERRORS[code].message : null,
  payer,
  createdAt: isoTime(createdAtMs),
});

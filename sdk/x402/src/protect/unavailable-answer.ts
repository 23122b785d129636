import { type HttpAnswer, jsonAnswer } from './answer.ts';

/** The service is out of reach, or the account can be paid in nothing. No 402, as nothing is wrong with the payment. */
export function unavailableAnswer(): HttpAnswer {
  const message = 'Payments can not be checked now. Send the same request again; do not sign another payment.';
  return jsonAnswer(503, { error: 'payments_unavailable', message }, [['retry-after', '5']]);
}

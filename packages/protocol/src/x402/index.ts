// The wire of stock x402, versions 1 and 2: challenges, payments, answers of a facilitator, and names.
export { type DecodedHeader, decodePaymentHeader, type HeaderRefusal } from '../header/decode-header.ts';
export * from './answers.ts';
export * from './header-names.ts';
export { caip2NameOf, parseAnyNetwork, v1NameOf } from './network-names.ts';
export {
  challengeOf,
  challengeV1Of,
  isExtraInTransaction,
  type OfferedResource,
  type OfferedTerms,
  offeredTermsOf,
  requirementsOf,
} from './offer-requirements.ts';
export { type PaidResponse, paidResponse } from './paid-response.ts';
export {
  MAX_HEADER_CHARACTERS,
  type ReadX402Payment,
  readPayment,
  readPaymentHeader,
  type X402Payment,
} from './read-payment.ts';
export { type ReadX402Terms, readTerms } from './read-terms.ts';
export { DUPLICATE_SETTLEMENT, SETTLEMENT_PENDING, type X402Step, x402ReasonOf } from './reasons.ts';
export { type X402Refusal, x402Refusal } from './refusal.ts';
export * from './requirements.ts';

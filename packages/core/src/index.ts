export * from './account/api-key.ts';
export * from './account/authenticate.ts';
export { keyIndex } from './account/key-index.ts';
export type { MasterKey } from './account/master-key.ts';
export * from './account/mode.ts';
export * from './account/new-key.ts';
export { createSealer, type Sealer, type SealingKey, sealingKeyOf } from './account/sealing-key.ts';
export * from './account/secret-box.ts';
export type { SecretContext } from './account/secret-context.ts';
export { type SigningCandidate, signingKeyAt } from './account/signing-key.ts';
export * from './audit/audit-entry.ts';
export * from './audit/seal-audit.ts';
export { type Clock, isoTime, systemClock } from './clock.ts';
export * from './delivery/delivery.ts';
export type * from './delivery/delivery-store.ts';
export { judgeAttempt } from './delivery/judge-attempt.ts';
export { retryAfterMs } from './delivery/retry-after.ts';
export type { Random } from './delivery/retry-schedule.ts';
export { type DeliverySecrets, signDelivery } from './delivery/sign-delivery.ts';
export { customHeaderProblem, readCustomHeaders } from './endpoint/custom-headers.ts';
export { type AddressPolicy, isDeniedAddress } from './endpoint/denied-address.ts';
export { endpointContext, endpointSecretBytes, newEndpointSecret } from './endpoint/endpoint-secret.ts';
export {
  type CheckedUrl,
  checkEndpointUrl,
  DENIED_PORTS,
  type EndpointTarget,
  type UrlPolicy,
  type UrlProblem,
} from './endpoint/endpoint-url.ts';
export { type IpRange, parseRange } from './endpoint/ip-address.ts';
export { judgeNewHeaders, judgeNewUrl, type NewUrlPolicy, type NewUrlProblem } from './endpoint/judge-endpoint.ts';
export * from './event/event-draft.ts';
export * from './event/events-for.ts';
export { draftSample, SAMPLE_METADATA_KEY } from './event/sample-event.ts';
export * from './idempotency/stored-answer.ts';
export type { AcceptanceRecord } from './intent/build-acceptance.ts';
export * from './intent/cancel-intent.ts';
export * from './intent/create-intent.ts';
export * from './intent/intent.ts';
export * from './intent/intent-codes.ts';
export { INTENT_TRANSITIONS } from './intent/intent-transitions.ts';
export type { ActivePayout, MerchantSetup, NetworkSetup } from './intent/merchant-setup.ts';
export { type Offer, settlesUpto } from './intent/offer.ts';
export type { IntentRefusal } from './intent/read-terms.ts';
export { atOnce } from './lane/at-once.ts';
export * from './lane/drain-lane.ts';
export * from './lane/end-payment.ts';
export * from './lane/finality-store.ts';
export { isConfirmedBatch } from './lane/is-confirmed.ts';
export * from './lane/judge-item.ts';
export * from './lane/lane.ts';
export * from './lane/lane-chain.ts';
export type * from './lane/lane-parts.ts';
export * from './lane/lane-store.ts';
export * from './lane/network-health.ts';
export { takeBackPayment } from './lane/take-back.ts';
export {
  type BookedPayment,
  bookPayment,
  type SettledItem,
  type SettledPayment,
  spelled,
} from './ledger/book-payment.ts';
export { bookReturn, bookStranding, type ReturnedPayment, type Stranding } from './ledger/book-stranding.ts';
export type {
  BookedBatch,
  BookedEntry,
  BookedPaymentRow,
  BookedRelayer,
  Books,
  StrayRows,
} from './ledger/books.ts';
export { type Census, checkBooks } from './ledger/check-books.ts';
export {
  type CheckedLine,
  createFindings,
  type Findings,
  LEDGER_CHECKS,
  type LedgerCheck,
  type LedgerDifference,
} from './ledger/findings.ts';
export * from './ledger/gas-share.ts';
export * from './ledger/ledger-entry.ts';
export { isNative, liveEntries } from './ledger/live-entries.ts';
export { type Payment, paymentView } from './payment/payment.ts';
export { PAYMENT_TRANSITIONS } from './payment/payment-transitions.ts';
export { createHttpFeed, type HttpFeedOptions } from './pricing/http-feed.ts';
export { createPricing, type PriceSource, type PricingOptions } from './pricing/price-source.ts';
export type { CarriedPayment, SentTransaction } from './recover/sent-transaction.ts';
export type { Purpose } from './settle/check-window.ts';
export { type ClaimedAuthorization, claimKey } from './settle/claim-key.ts';
export type { AuthorizationKind, ClaimOutcome, ClaimPayment, PaymentClaim } from './settle/claim-payment.ts';
export { type PrepareCall, type PreparedPayment, preparePayment, signablePayment } from './settle/prepare-payment.ts';
export { refusalAnswer, settleAnswer } from './settle/settle-answer.ts';
export { type SettleCall, settlePayment } from './settle/settle-payment.ts';
export type {
  AuthorizationVerdict,
  AwaitedPayment,
  HeaderPlace,
  RefusedAttempt,
  SentAuthorization,
  SentPayment,
  SettlePorts,
} from './settle/settle-ports.ts';
export type { Settled } from './settle/settle-sent.ts';
export { settleTransfer, type TransferCall } from './settle/settle-transfer.ts';
export type { PaymentProgress, SettlementRead } from './settle/settlement-read.ts';
export type { SignedTransfer } from './settle/signed-transfer.ts';
export type { StoredAcceptance } from './settle/stored-acceptance.ts';
export type {
  PreparedTransaction,
  PreparedTransferAnswer,
  SentTransfer,
  SignableAnswer,
  SignableText,
  TransferPorts,
  TransferToPrepare,
  TransferToVerify,
  TransferVerdict,
} from './settle/transfer-ports.ts';
export {
  type TermsRefusal,
  type TermsToVerify,
  type TermsVerdict,
  type VerifiedTerms,
  verifyTerms,
} from './settle/verify-terms.ts';
export { TOKENS } from './token/catalogue.ts';
export { CHAINS, type Chain, findChain } from './token/chain.ts';
export type { Signing, TokenEntry } from './token/token-entry.ts';
export { type Cause, diagramOf, mayFollow, type Transitions, transition } from './transitions.ts';
export { confirmIntent } from './upto/confirm-intent.ts';
export { type ConfirmCall, type Confirmed, confirmUpto } from './upto/confirm-upto.ts';
export { judgeSettlement, type UptoRefusal, type UptoSituation, type UptoVerdict } from './upto/judge-settlement.ts';
export { type AskedSettlement, readSettledAmount } from './upto/read-settled-amount.ts';
export { settleUpto, type UptoSettleCall, type UptoSettled } from './upto/settle-upto.ts';
export type { BegunUpto, Confirmation, ConfirmationOutcome, UptoOrder, UptoPorts } from './upto/upto-ports.ts';
export { isUsable, type StoredAuthorization, type UptoRead } from './upto/upto-read.ts';

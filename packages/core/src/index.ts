export * from './abuse/abuse-counts.ts';
export { ADDRESS_HASH, addressHash, createAddressHasher, dayEndMs, dayOf } from './abuse/address-hash.ts';
export { readClientAddress, readClientRange, unmapRange } from './abuse/client-address.ts';
export * from './abuse/deny-list.ts';
export { isPrintableName } from './account/account-name.ts';
export * from './account/account-transitions.ts';
export * from './account/api-key.ts';
export * from './account/authenticate.ts';
export * from './account/judge-closing.ts';
export * from './account/key-change.ts';
export { keyIndex } from './account/key-index.ts';
export * from './account/key-scope.ts';
export type { MasterKey } from './account/master-key.ts';
export * from './account/mode.ts';
export * from './account/new-key.ts';
export * from './account/peppers.ts';
export * from './account/publishable-rights.ts';
export { createSealer, type Sealer, type SealingKey, sealingKeyOf } from './account/sealing-key.ts';
export * from './account/secret-box.ts';
export type { SecretContext } from './account/secret-context.ts';
export * from './account/signed-cursor.ts';
export { type SigningCandidate, signingKeyAt } from './account/signing-key.ts';
export * from './audit/audit-entry.ts';
export * from './audit/audit-export.ts';
export * from './audit/seal-audit.ts';
export { assumedGasCoin } from './budget/assumed-gas-coin.ts';
export { type BudgetFloors, budgetLimits } from './budget/budget-limits.ts';
export type { BudgetStore, GasMeasures } from './budget/budget-store.ts';
export * from './budget/gas-budget.ts';
export * from './budget/judge-wallet.ts';
export { type Clock, isoTime, systemClock } from './clock.ts';
export * from './console/console-session.ts';
export * from './console/people-rules.ts';
export * from './console/person-action.ts';
export * from './console/person-role.ts';
export * from './console/session-token.ts';
export * from './delivery/decide-delivery.ts';
export * from './delivery/decide-reports.ts';
export * from './delivery/delivery.ts';
export type * from './delivery/delivery-store.ts';
export * from './delivery/delivery-transitions.ts';
export { isAmbiguous } from './delivery/event-body.ts';
export * from './delivery/event-replay-transitions.ts';
export { FIRST_EVENT_TYPES, goesFirst, keptSlots } from './delivery/goes-first.ts';
export { judgeAttempt } from './delivery/judge-attempt.ts';
export * from './delivery/replay-events.ts';
export { retryAfterMs } from './delivery/retry-after.ts';
export type { Random } from './delivery/retry-schedule.ts';
export { draftSample, SAMPLE_METADATA_KEY } from './delivery/sample-event.ts';
export { type DeliverySecrets, signDelivery } from './delivery/sign-delivery.ts';
export * from './direct/accept-payment.ts';
export * from './direct/bound-acceptance.ts';
export * from './direct/decide-direct-failure.ts';
export * from './direct/decide-held-receipt.ts';
export * from './direct/decide-on-direct.ts';
export type * from './direct/direct-store.ts';
export * from './direct/foreign-payment.ts';
export * from './direct/judge-claimed-use.ts';
export * from './direct/judge-credit.ts';
export * from './direct/judge-landing.ts';
export * from './direct/judge-money.ts';
export * from './direct/judge-receipt.ts';
export * from './direct/proves-payment.ts';
export { createDirectWatch, type DirectWatchChain, type DirectWatchDeps } from './direct/watch-direct.ts';
export { customHeaderProblem, readCustomHeaders } from './endpoint/custom-headers.ts';
export { type AddressPolicy, isDeniedAddress } from './endpoint/denied-address.ts';
export * from './endpoint/endpoint-health.ts';
export { endpointContext, endpointSecretBytes, newEndpointSecret } from './endpoint/endpoint-secret.ts';
export * from './endpoint/endpoint-transitions.ts';
export * from './endpoint/endpoint-url.ts';
export { type IpRange, isWithin, parseRange } from './endpoint/ip-address.ts';
export { judgeNewHeaders, judgeNewUrl, type NewUrlPolicy, type NewUrlProblem } from './endpoint/judge-endpoint.ts';
export * from './endpoint/switch-endpoint.ts';
export type { CausedEvent, EventDraft, Origin } from './event/event-draft.ts';
export * from './export/export-cursor.ts';
export * from './export/export-page.ts';
export * from './export/export-store.ts';
export * from './export/export-text.ts';
export * from './export/exported-rows.ts';
export * from './export/statement.ts';
export { createWatchers } from './finality/create-watchers.ts';
export { decideFinal, requireOutcomes } from './finality/decide-final.ts';
export { type BatchMove, decideMove, type MovedPayment, type MoveFacts } from './finality/decide-move.ts';
export * from './finality/decide-on-verdict.ts';
export { type BatchReversal, decideReversal, type ReversalFacts } from './finality/decide-reversal.ts';
export * from './finality/finality-store.ts';
export * from './finality/judge-batch-block.ts';
export * from './finality/judge-unsettled.ts';
export * from './finality/quorum.ts';
export type { WatchDeps } from './finality/watch-deps.ts';
export { createFinalityWatch } from './finality/watch-finality.ts';
export type { BatchToFind, FinalityChain, FinalityLimits, WatchedChain } from './finality/watched-chain.ts';
export * from './icrc/index.ts';
export { keysForgottenBefore } from './idempotency/retention.ts';
export * from './idempotency/stored-answer.ts';
export * from './idempotency/stored-key.ts';
export type { AcceptanceRecord } from './intent/build-acceptance.ts';
export * from './intent/cancel-intent.ts';
export * from './intent/client-secret.ts';
export * from './intent/create-intent.ts';
export * from './intent/intent.ts';
export { codesOfPrefix, isIntentCode, isUnusedPrefix } from './intent/intent-code.ts';
export * from './intent/intent-codes.ts';
export { CANCELED_EVENT, canceledEvents } from './intent/intent-events.ts';
export * from './intent/intent-transitions.ts';
export { isOpenToPay, isPayable } from './intent/is-payable.ts';
export { type ListTokensPorts, listTokens } from './intent/list-tokens.ts';
export { settlesUpto } from './intent/offer.ts';
export type { AcceptanceTerms, DirectOffer, Offer, OfferedPayment } from './intent/offer-family.ts';
export type { IntentRefusal } from './intent/read-terms.ts';
export {
  type AcceptanceFlow,
  optionFields,
  type RegularFlow,
  type RegularWay,
  type RequestUrlOf,
} from './intent/regular-family.ts';
export { type LoadPayable, type PayableTerms, regularOptions } from './intent/regular-options.ts';
export { type Remaining, remainingOf } from './intent/remaining-amount.ts';
export { hasPriceEnded, type PaidTerms, type StoredAcceptance } from './intent/stored-acceptance.ts';
export { type QueuedAgain, queuedAgain } from './lane/batch-limit.ts';
export * from './lane/batch-transitions.ts';
export { canSettle, chooseRelayer, type RelayerToChoose } from './lane/choose-relayer.ts';
export * from './lane/decide-relayer-change.ts';
export * from './lane/drain-lane.ts';
export * from './lane/health-store.ts';
export { isConfirmedBatch } from './lane/is-confirmed.ts';
export * from './lane/judge-item.ts';
export * from './lane/lane.ts';
export * from './lane/lane-chain.ts';
export type * from './lane/lane-deps.ts';
export * from './lane/lane-store.ts';
export * from './lane/lane-work.ts';
export { mapConcurrent } from './lane/map-concurrent.ts';
export * from './lane/network-health.ts';
export type { LaneObstacle } from './lane/obstacle.ts';
export { queueShareOf, type SharingRelayer } from './lane/queue-share.ts';
export type * from './lane/relayer.ts';
export * from './lane/relayer-transitions.ts';
export type { SendAttempt } from './lane/send-attempt.ts';
export * from './lane/solo-payers.ts';
export * from './lane/solo-turns.ts';
export {
  type BookedPayment,
  bookPayment,
  breakdownOf,
  type SettledItem,
  type SettledPayment,
} from './ledger/book-payment.ts';
export type {
  BookedAuthorization,
  BookedBatch,
  BookedEntry,
  BookedLog,
  BookedLogUse,
  BookedPaymentRow,
  BookedReceipt,
  BookedRelayer,
  Books,
  NamedReceipt,
  StrayRows,
} from './ledger/books.ts';
export { type Census, checkBooks } from './ledger/check-books.ts';
export { checkOverview, type OverviewComparison } from './ledger/check-overview.ts';
export * from './ledger/findings.ts';
export * from './ledger/gas-loss.ts';
export * from './ledger/gas-share.ts';
export * from './ledger/ledger-entry.ts';
export { isNative, liveEntries } from './ledger/live-entries.ts';
export { type BudgetUse, budgetUses } from './ledger/loss-budgets.ts';
export * from './ledger/payment-link.ts';
export * from './ledger/payment-result.ts';
export { type PaymentSource, paymentSource } from './ledger/payment-source.ts';
export * from './listing/list-cursor.ts';
export * from './listing/metadata-key.ts';
export * from './listing/page-walk.ts';
export * from './listing/partition-start.ts';
export * from './listing/payment-filter.ts';
export * from './mismatch/judge-amount.ts';
export * from './mismatch/mismatch-policy.ts';
export * from './move/judge-move.ts';
export * from './operator/authenticate-operator.ts';
export type { NodeProbe, NodeReading, NodeReadingStore, StoredNodeReading } from './operator/node-readings.ts';
export { makeOperatorKey, type OperatorKeyText } from './operator/operator-key.ts';
export * from './operator/operator-report.ts';
export { spendingFromMs } from './operator/relayer-float.ts';
export type * from './overview/overview-rows.ts';
export { overviewView, readOverviewRange } from './overview/overview-view.ts';
export { SETTLE_BOUNDS_MS } from './overview/settle-times.ts';
export * from './payment/apply-payment-result.ts';
export * from './payment/bound-terms.ts';
export type { Purpose } from './payment/check-window.ts';
export { type ClaimedAuthorization, claimKey } from './payment/claim-key.ts';
export type {
  AuthorizationKind,
  ClaimOutcome,
  ClaimPayment,
  DirectSignature,
  PayerSignature,
  PaymentClaim,
} from './payment/claim-payment.ts';
export { NO_LINK, type PaymentLink } from './payment/link-payment.ts';
export { type PaidSplit, paymentView, type StoredPayment } from './payment/payment.ts';
export * from './payment/payment-events.ts';
export { draftEvents } from './payment/payment-events.ts';
export * from './payment/payment-transitions.ts';
export * from './payment/refused-authorization.ts';
export { reversePayment } from './payment/reverse-payment.ts';
export type { SignedTransfer } from './payment/signed-transfer.ts';
export {
  type TermsRefusal,
  type TermsToVerify,
  type TermsVerdict,
  type VerifiedTerms,
  verifyTerms,
} from './payment/verify-terms.ts';
export * from './payout/activation.ts';
export * from './payout/activation-notice.ts';
export * from './payout/decide-activation.ts';
export * from './payout/decide-disabled-payout.ts';
export { decideMirroredPayout, type MirrorDecision } from './payout/decide-mirrored-payout.ts';
export * from './payout/decide-payout.ts';
export * from './payout/judge-activation.ts';
export type {
  ActivePayout,
  DirectPayout,
  MerchantSetup,
  NetworkSetup,
  WithdrawnPart,
} from './payout/merchant-setup.ts';
export type { DirectTerms, Payout, PayoutShares } from './payout/payout.ts';
export type * from './payout/payout-registry.ts';
export * from './payout/payout-transitions.ts';
export * from './payout/read-activation.ts';
export { minimumFromUsd } from './pricing/below-minimum.ts';
export { gasCoinRate } from './pricing/gas-coin.ts';
export { createHttpFeed, type HttpFeedOptions } from './pricing/http-feed.ts';
export { createPricing, type PriceSource, type PricingOptions } from './pricing/price-source.ts';
export * from './quota/chunk-holder.ts';
export * from './quota/grant-chunk.ts';
export * from './quota/open-streams.ts';
export * from './quota/quota.ts';
export * from './quota/quota-table.ts';
export * from './quota/unsettled-limits.ts';
export type * from './reader/apply-store.ts';
export * from './reader/compare-with-lanes.ts';
export {
  createChainReader,
  READER_LIMITS,
  type ReaderDeps,
  type ReaderLimits,
  readerJob,
} from './reader/create-chain-reader.ts';
export * from './reader/money-log.ts';
export * from './reader/reader-chain.ts';
export type * from './reader/reader-store.ts';
export * from './reader/watch-lanes.ts';
export * from './reference/index.ts';
export * from './refund/count-refund.ts';
export { type AskedRefund, type CreateRefundPorts, createRefund } from './refund/create-refund.ts';
export * from './refund/decide-refund.ts';
export * from './refund/judge-refund.ts';
export * from './refund/refund.ts';
export type * from './refund/refund-chain.ts';
export type * from './refund/refund-family.ts';
export * from './refund/refund-patience.ts';
export * from './refund/refund-result.ts';
export type * from './refund/refund-store.ts';
export * from './refund/refund-transitions.ts';
export * from './refund/refund-view.ts';
export * from './refund/refuse-refund.ts';
export { cancelRefund, type SubmitRefundPorts, submitRefund } from './refund/submit-refund.ts';
export { createRefundWatch } from './refund/watch-refunds.ts';
export * from './restore/adopt-payment.ts';
export * from './restore/choose-payout.ts';
export * from './restore/decide-resolved-stranding.ts';
export * from './restore/decide-restored-batch.ts';
export * from './restore/decide-restored-payment.ts';
export { firstBlockToRead, type RecordedBlocks } from './restore/first-block-to-read.ts';
export type { CarriedPayment, OnChainTransaction, ResolvedStranding } from './restore/on-chain-transaction.ts';
export * from './restore/on-chain-transfer.ts';
export { LaneTakenOver, type RestoreFindMined } from './restore/record-pending-batches.ts';
export type * from './restore/restore-chain.ts';
export {
  type ChainRestoreResult,
  type ChainToRestoreFrom,
  type RestoreToRun,
  restoreFromChain,
} from './restore/restore-from-chain.ts';
export type { RestoreProgress } from './restore/restore-network.ts';
export type { NetworkRestore } from './restore/restore-report.ts';
export type * from './restore/restore-store.ts';
export type { TransferNetwork } from './restore/restore-transfers.ts';
export type { RestoredRows } from './restore/restored-rows.ts';
export * from './restore/resume-payment.ts';
export * from './retention/decide-retirement.ts';
export * from './retention/judge-retention.ts';
export { confirmIntent } from './settlement/confirm-intent.ts';
export { type ConfirmCall, type Confirmed, confirmUpto } from './settlement/confirm-upto.ts';
export { type CapCharge, countFullCaps, FULL_CAP_WINDOW_MS } from './settlement/full-caps.ts';
export {
  judgeSettlement,
  type UptoRefusal,
  type UptoSituation,
  type UptoVerdict,
} from './settlement/judge-upto-settlement.ts';
export { leavesBatch } from './settlement/leaves-batch.ts';
export { type IssuedOffer, offerAgain } from './settlement/offer-again.ts';
export { offeredTermsNow } from './settlement/offered-terms-now.ts';
export type {
  AuthorizationVerdict,
  ForeignMemo,
  HeaderContext,
  PaymentFamily,
  PreparedTransaction,
  PreparedTransferAnswer,
  RequestedTransfer,
  SignableAnswer,
  SignableText,
  StockTransfer,
  SubmittedTransfer,
  TransactionPayments,
  TransferToPrepare,
  TransferToRequest,
  TransferToVerify,
  TransferVerdict,
} from './settlement/payment-family.ts';
export {
  type PrepareCall,
  type PreparedPayment,
  preparePayment,
  signablePayment,
} from './settlement/prepare-payment.ts';
export { type AskedSettlement, readSettledAmount } from './settlement/read-settled-amount.ts';
export { refusalAnswer, settleAnswer } from './settlement/settle-answer.ts';
export { type SettleCall, type SettleResult, settlePayment } from './settlement/settle-payment.ts';
export type {
  AwaitedPayment,
  RefusedAttempt,
  SettlePorts,
  SubmittedAuthorization,
  SubmittedPayment,
} from './settlement/settle-ports.ts';
export { settleUpto, type UptoSettleCall, type UptoSettleResult } from './settlement/settle-upto.ts';
export type { PaymentProgress, SettlementRead } from './settlement/settlement-read.ts';
export * from './settlement/settlement-transitions.ts';
export type { PayoutName, StoredPayout, TransferStores } from './settlement/transfer-stores.ts';
export type { BegunUpto, Confirmation, ConfirmationOutcome, UptoOrder, UptoPorts } from './settlement/upto-ports.ts';
export { isUsable, type StoredAuthorization, type UptoRead } from './settlement/upto-read.ts';
export { STATE_MACHINES } from './state-machines.ts';
export { actOnOutcome, type DecidedAuthorization } from './stranded/act-on-outcome.ts';
export type * from './stranded/authorization-chain.ts';
export type * from './stranded/authorization-outcome.ts';
export { bookReturn, bookStranding, type ReturnedPayment, type Stranding } from './stranded/book-stranding.ts';
export * from './stranded/decide-held-completion.ts';
export * from './stranded/decide-on-outcome.ts';
export * from './stranded/decide-stranded.ts';
export * from './stranded/judge-authorization.ts';
export * from './stranded/judge-stranded-transfer.ts';
export * from './stranded/stranded-store.ts';
export * from './stranded/stranded-transitions.ts';
export { createAuthorizationWatch } from './stranded/watch-authorizations.ts';
export { createHeldWatch } from './stranded/watch-held.ts';
export type * from './timeline/timeline-rows.ts';
export { timelineView } from './timeline/timeline-view.ts';
export { normalizeAddress, sameAddress } from './token/address.ts';
export * from './token/block-name.ts';
export { TOKENS } from './token/catalogue.ts';
export { CHAINS, type Chain, findChain } from './token/chain.ts';
export { type ExplorerUrls, explorerUrlOf, useExplorers } from './token/explorer.ts';
export { findToken, findTokenOf } from './token/find-token.ts';
export type { HourlyCap } from './token/hourly-caps.ts';
export { type SignatureRule, type Signing, signatureRuleOf, type TokenEntry } from './token/token-entry.ts';
export {
  type Cause,
  diagramOf,
  isWritten,
  mayFollow,
  type StatusOf,
  statusesBefore,
  statusesIn,
  type Transitions,
  transition,
} from './transitions.ts';
export * from './watch/index.ts';
export type { FacilitatorPorts } from './x402/facilitator-ports.ts';
export { findSupported } from './x402/find-supported.ts';
export * from './x402/judge-settle-lease.ts';
export * from './x402/judge-verify-lease.ts';
export * from './x402/lease.ts';
export type * from './x402/lease-store.ts';
export { type SellerRefusal } from './x402/seller-payment.ts';
export { type SellerSettle } from './x402/seller-settle.ts';
export { type SettleForSeller, settleForSeller } from './x402/settle-for-seller.ts';
export { type LeasedCall, type SellerCall, type SellerVerify, verifyForSeller } from './x402/verify-for-seller.ts';

// For a merchant's server: call the service, receive its webhooks, deal with each event once. How a framework hands over
// the raw body is in its own entry: `/express`, `/fastify`, `/hono`, `/next`, `/node`.
export type {
  CreatedRefund,
  ExportedEntry,
  ExportedPayment,
  Refund,
  RefundSign,
  SubmitRefundRequest,
} from '@svc-pay/protocol/merchant';
export type { WebhookOptions } from './answer/answer-delivery.ts';
export type { CallFailure, FailureCode } from './call/call-failure.ts';
export type { CallOptions, MakeOptions, SvcPayOptions } from './call/connection.ts';
export type { CursorPage, CursorQuery } from './call/cursor-pages.ts';
export type { Page, PageQuery } from './call/pages.ts';
export { orThrow, SvcPayError } from './call/svc-pay-error.ts';
export { createSvcPay, type SvcPay } from './client.ts';
export type { EndpointCreated } from './endpoints/create-endpoint.ts';
export type { EndpointDeleted } from './endpoints/delete-endpoint.ts';
export type { EndpointFound } from './endpoints/endpoint-answers.ts';
export type { DeliveryFilter, EndpointEnabled, Endpoints, SampleSent } from './endpoints/endpoints.ts';
export type { RecoverCall, RecoveryFound } from './endpoints/recovery.ts';
export type { RotateOptions, SecretRotated } from './endpoints/rotate-secret.ts';
export { type EventHandlers, onEvent } from './event/on-event.ts';
export type { EventOf, KnownEvent, ReceivedEvent } from './event/received-event.ts';
export type { EventFilter, EventFound, EventResent, Events, SampleTriggered } from './events/events.ts';
export type { DayStatement, ExportedPage, ExportPageQuery, Exports } from './exports/exports.ts';
export type { CreateIntentCall } from './intents/create-intent-call.ts';
export type {
  AttemptFilter,
  AttemptsFound,
  IntentListFilter,
  IntentLists,
  TimelineFound,
} from './intents/intent-lists.ts';
export type { IntentCreated, IntentFound, IntentSituation, Intents } from './intents/intents.ts';
export {
  createDeduplicator,
  type Deduplicator,
  type DeduplicatorOptions,
  type OnceResult,
} from './once/deduplicator.ts';
export type { Claim, EventStore } from './once/event-store.ts';
export { createMemoryStore, type MemoryStoreOptions } from './once/memory-store.ts';
export {
  createPostgresStore,
  POSTGRES_EVENT_TABLE,
  type PostgresClient,
  type PostgresStore,
} from './once/postgres-store.ts';
export type { OverviewFound, OverviewRequest, ReadOverview } from './overview/overview.ts';
export type { PaymentFound, PaymentListFilter, Payments } from './payments/payments.ts';
export type { DeliveryHeaders } from './receive/delivery-headers.ts';
export { createReceiver, type Received, type Receiver, type ReceiverOptions } from './receive/receiver.ts';
export type { Refusal, RefusalCode } from './receive/refusal.ts';
export type {
  EvmRefundSigner,
  EvmRefundWallet,
  RefundSigner,
  SolanaKeySigner,
  SolanaRefundSigner,
} from './refunds/refund-signer.ts';
export type { RefundWithCall, RefundWithOptions } from './refunds/refund-with.ts';
export type { CreateRefundCall, RefundCreated, RefundFound, Refunds, RefundsFound } from './refunds/refunds.ts';
export type { Tokens, TokensFound } from './tokens/tokens.ts';
export type { SettleCall } from './upto/settle-request.ts';
export type { ConfirmCall, Upto, UptoConfirmed, UptoReleased, UptoSettled } from './upto/upto.ts';

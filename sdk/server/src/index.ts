// For a merchant's server: receive webhooks, deal with each event once, and settle up-to payments. How a framework hands
// over the raw body is in its own entry: `/express`, `/fastify`, `/hono`, `/next`, `/node`.
export type { WebhookOptions } from './answer/answer-delivery.ts';
export { type EventHandlers, onEvent } from './event/on-event.ts';
export type { EventOf, KnownEvent, ReceivedEvent } from './event/received-event.ts';
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
export type { DeliveryHeaders } from './receive/delivery-headers.ts';
export { createReceiver, type Received, type Receiver, type ReceiverOptions } from './receive/receiver.ts';
export type { Refusal, RefusalCode } from './receive/refusal.ts';
export type { SettleCall } from './upto/settle-request.ts';
export {
  createUptoClient,
  type UptoClient,
  type UptoClientOptions,
  type UptoReleased,
  type UptoSettled,
} from './upto/upto-client.ts';
export type { UptoError } from './upto/upto-error.ts';
